/// An error that stops a benchmark: a wrong answer must not count as a fast one.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
