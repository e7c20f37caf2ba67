import CVaultSodium

/// Returns a random number, each with the same probability.
///
/// - Parameter bound: 1 to 2^32 − 1.
/// - Returns: 0 to `bound` − 1.
/// - Source: libsodium's `randombytes_uniform`, which rejects the numbers that a remainder would
///   make more frequent.
package func uniformChoice(below bound: Int) -> Int {
  precondition(bound > 0 && bound <= Int(UInt32.max), "a choice between nothing or too much")
  initializeSodium()
  return Int(randombytes_uniform(UInt32(bound)))
}
