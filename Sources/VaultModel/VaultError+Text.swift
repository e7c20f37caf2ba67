import Glibc

extension VaultError {
  /// The error in words: what was being done to what, and why the system refused.
  ///
  /// The text is the same for people, in JSON and in C: lower case, no secret, no trailing stop.
  package var text: String {
    let cause = context.isEmpty ? code.description : context
    switch underlying {
    case .errno(let number):
      let reason = Self.reason(number)
      return cause.hasSuffix(reason) ? cause : "\(cause): \(reason)"
    // The number helps to find the reason if the words do not give it.
    case .sqlite(let number) where code == .inputOutput || code == .internalError:
      return "\(cause) (sqlite \(number))"
    case .sqlite: return cause
    case nil: return cause
    }
  }

  /// Returns the system's words for an error number.
  private static func reason(_ number: Int32) -> String {
    var words = [CChar](repeating: 0, count: 256)
    // The call writes no more than it is told, a NUL included; unlike `strerror` it may be used
    // from any thread.
    guard unsafe strerror_r(number, &words, words.count) == 0 else { return "error \(number)" }
    return String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
