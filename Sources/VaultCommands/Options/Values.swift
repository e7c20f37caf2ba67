package import VaultModel
import VaultReports

/// Readers of option values, whose errors say what is wrong without repeating the value.
package enum Values {
  static func port(_ text: String) throws(VaultError) -> UInt16 {
    if text.isEmpty { return 0 }
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let port = UInt16(text)
    else { throw VaultError(.invalidArgument, "a port is a number from 0 to 65535") }
    return port
  }

  /// Returns the attribute's value that a text stands for.
  static func value(_ text: String, of attribute: Attribute) throws(VaultError) -> AttributeValue? {
    switch attribute.form {
    case .text: .text(text)
    case .host: .text(try HostName(text).name)
    case .networkProtocol: .text(try networkProtocol(text).rawValue)
    case .method: .text(try method(text).rawValue)
    case .port: .number(UInt32(try port(text)))
    case .code: .number(try FourCharacterCode(text).rawValue)
    case .flag: .flag(text.isEmpty ? false : try yesOrNo(text))
    case .secretKind: .number(UInt32(try secretKind(text).rawValue))
    case .time: try expiry(text).map { .time($0) }
    case .data: .data(Array(text.utf8))
    // unreachable: no option sets these.
    case .moment, .id, .revision, .secret, .custom: nil
    }
  }

  static func networkProtocol(_ text: String) throws(VaultError) -> NetworkProtocol {
    try NetworkProtocol(text)
  }

  static func method(_ text: String) throws(VaultError) -> AuthenticationMethod {
    try AuthenticationMethod(text)
  }

  static func mergePreference(_ text: String) throws(VaultError) -> MergePreference {
    guard let preference = MergePreference(rawValue: text) else {
      let words = MergePreference.allCases.map(\.rawValue)
      throw notOne("ours, theirs or newer", text, of: words)
    }
    return preference
  }

  /// The kinds of secrets, in the order of their numbers in the sealed file.
  static let secretKinds = ["password", "token", "identity", "keytab"]

  static func secretKind(_ text: String) throws(VaultError) -> SecretKind {
    if text.isEmpty { return .password }
    guard let number = secretKinds.firstIndex(of: text) else {
      throw notOne("password, token, identity or keytab", text, of: secretKinds)
    }
    return SecretKind(rawValue: UInt8(number))
  }

  /// Reads a custom attribute: its name, and its text after the first equals sign.
  static func custom(_ text: String) throws(VaultError) -> (name: String, text: String) {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign > text.startIndex else {
      throw VaultError(.invalidArgument, "a custom attribute is NAME=VALUE")
    }
    return (String(text[..<sign]), String(text[text.utf8.index(after: sign)...]))
  }

  /// Reads a passphrase's cost: `3:256` is 3 passes over 256 MiB.
  static func cost(_ text: String) throws(VaultError) -> PassphraseCost {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    let wrong = VaultError(
      .invalidArgument,
      "a cost is PASSES:MIB, 1 to 16 and 8 to 1024, and not above 4096 in all")
    guard parts.count == 2, let passes = parts[0], let mebibytes = parts[1],
      (1...1024).contains(mebibytes)
    else { throw wrong }
    do throws(VaultError) {
      return try PassphraseCost(memoryKiB: mebibytes * 1024, passes: passes)
    } catch {
      throw wrong
    }
  }

  /// Reads a slot's number.
  static func slotID(_ text: String) throws(VaultError) -> Int {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let id = Int(text), id > 0
    else { throw VaultError(.invalidArgument, "ID is a slot's number, as slot list shows it") }
    return id
  }

  package static func descriptor(_ text: String) throws(VaultError) -> Int32 {
    guard let number = Int32(text), number >= 0 else {
      throw VaultError(.invalidArgument, "a descriptor is a number from 0")
    }
    return number
  }

  static func yesOrNo(_ text: String) throws(VaultError) -> Bool {
    switch text {
    case "yes": true
    case "no": false
    default: throw VaultError(.invalidArgument, "neither yes nor no")
    }
  }

  package static func persistence(_ text: String) throws(VaultError) -> Persistence {
    guard let persistence = Persistence.allCases.first(where: { $0.word == text }) else {
      throw notOne("none, session or permanent", text, of: Persistence.allCases.map(\.word))
    }
    return persistence
  }

  /// Returns the error for a text that is none of a few words, with the one probably meant.
  static func notOne(_ choice: String, _ text: String, of words: [String]) -> VaultError {
    VaultError(.invalidArgument, "not \(choice)\(Suggestion.question(text, among: words))")
  }

  /// Reads the number of previous secrets to keep.
  static func historyLimit(_ text: String) throws(VaultError) -> Int {
    guard let count = Int(text), PreviousSecret.limits.contains(count) else {
      throw VaultError(
        .invalidArgument, "not a number from 0 to \(PreviousSecret.limits.upperBound)")
    }
    return count
  }

  /// Reads the number of days for which removed items are kept.
  static func trashDays(_ text: String) throws(VaultError) -> Int {
    try days(text, in: RemovedItem.dayLimits)
  }

  /// Reads the number of days for which changes are logged.
  static func logDays(_ text: String) throws(VaultError) -> Int {
    try days(text, in: LoggedChange.dayLimits)
  }

  /// Reads an item's revision.
  static func revision(_ text: String) throws(VaultError) -> UInt64 {
    guard let revision = UInt64(text), revision > 0 else {
      throw VaultError(.invalidArgument, "a revision is a number, as show prints it")
    }
    return revision
  }

  /// Reads a count: 1 or more.
  static func count(_ text: String) throws(VaultError) -> Int {
    guard let count = Int(text), count > 0 else {
      throw VaultError(.invalidArgument, "not a number of 1 or more")
    }
    return count
  }
}
