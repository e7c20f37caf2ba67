package import SecureMemory

// The values that are no containers.
extension JSONReader {
  /// Reads a whole number of 64 bits; one with a fraction or an exponent is invalid data.
  package func integer() throws(VaultError) -> Int64 {
    try require(.number)
    guard let number = try wholeNumber() else {
      throw invalid("not a whole number, or one that is too large")
    }
    return number
  }

  /// Reads a number; nil if it is not whole or has more than 64 bits.
  package func wholeNumber() throws(VaultError) -> Int64? {
    try require(.number)
    let number = try readNumber()
    return number.isWhole ? number.value : nil
  }

  /// Reads a number without its fraction; nil if it has an exponent or more than 64 bits.
  package func truncatedNumber() throws(VaultError) -> Int64? {
    try require(.number)
    return try readNumber().value
  }

  package func boolean() throws(VaultError) -> Bool {
    try require(.boolean)
    let isTrue = try peek() == UInt8(ascii: "t")
    try word(isTrue ? "true" : "false")
    return isTrue
  }

  /// Takes `null` and returns true, or takes nothing and returns false.
  package func isNull() throws(VaultError) -> Bool {
    guard try kind() == .null else { return false }
    try word("null")
    return true
  }

  /// Reads a string as text.
  package func string() throws(VaultError) -> String {
    try require(.string)
    return try readText(limit: limits.string)
  }

  /// Reads a string as a secret, which is in no other memory.
  package func secret() throws(VaultError) -> Secret {
    try require(.string)
    try readString(limit: limits.string)
    return text.secret(0..<text.count)
  }

  /// Reads a value of any kind and drops it, and returns whether it was `null`.
  package func skipNull() throws(VaultError) -> Bool {
    if try isNull() { return true }
    try skip()
    return false
  }

  private func word(_ word: String) throws(VaultError) {
    needsComma = true
    for byte in word.utf8 {
      guard try take() == byte else { throw invalid("no value begins with this") }
    }
  }
}
