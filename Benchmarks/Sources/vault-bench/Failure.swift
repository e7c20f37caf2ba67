/// What stops a benchmark: a wrong answer is no fast answer.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
