import Glibc
public import VaultModel

/// The names below which anybody can register one, so that a preference for all names below one of
/// them would reach strangers' servers.
///
/// - Source: <https://publicsuffix.org/list/>, the algorithm and the format.
public struct PublicSuffixes: Sendable {
  private var names: Set<String> = []
  private var wildcards: Set<String> = []
  private var exceptions: Set<String> = []

  /// The list of Debian's package `publicsuffix`, read once in a process.
  ///
  /// If it is not installed, or cannot be read, no rule is known; every top-level domain is a
  /// public suffix all the same.
  public static let system = PublicSuffixes(text: contents(path))

  /// As ``system``, without the part of private owners, such as hosters: these have certificates
  /// for all of their customers' names.
  package static let registries = PublicSuffixes(text: contents(path), hasPrivate: false)

  private static let path = "/usr/share/publicsuffix/public_suffix_list.dat"

  /// Reads a list.
  ///
  /// - Parameters:
  ///   - text: Rules, one in a line; comments begin with `//`. A rule that is not a name is
  ///     skipped.
  ///   - hasPrivate: Whether the part of private owners counts.
  public init(text: String, hasPrivate: Bool = true) {
    // By bytes: by characters, Debian's list takes 40 ms.
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let rule = Substring(line.drop { $0 <= 0x20 }.prefix { $0 > 0x20 })
      if !hasPrivate, line.starts(with: "// ===BEGIN PRIVATE DOMAINS===".utf8) { break }
      guard !rule.isEmpty, !rule.hasPrefix("//") else { continue }
      if rule.hasPrefix("!") {
        Self.canonical(rule.dropFirst()).map { _ = exceptions.insert($0) }
      } else if rule.hasPrefix("*.") {
        Self.canonical(rule.dropFirst(2)).map { _ = wildcards.insert($0) }
      } else {
        Self.canonical(rule).map { _ = names.insert($0) }
      }
    }
  }

  /// Returns whether a name is a public suffix.
  public func contains(_ host: HostName) -> Bool {
    guard !host.isUnset, !host.isIPAddress else { return false }
    let name = host.name
    if exceptions.contains(name) { return false }
    guard let dot = name.firstIndex(of: ".") else { return true }
    return names.contains(name) || wildcards.contains(String(name[name.index(after: dot)...]))
  }

  private static func canonical(_ rule: Substring) -> String? {
    if rule.utf8.allSatisfy({ $0 < 0x80 && !$0.isUppercaseLetter }) { return String(rule) }
    do throws(VaultError) {
      return try HostName(String(rule)).name
    } catch {
      return nil
    }
  }

  /// Returns the text of a file; empty if it cannot be read.
  private static func contents(_ path: String) -> String {
    // Opened and closed here; the path is a C string for the call.
    guard let file = unsafe fopen(path, "re") else { return "" }
    defer { unsafe fclose(file) }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while text.count < 16 << 20 {
      // It writes no more than there is room for.
      let count = unsafe fread(&piece, 1, piece.count, file)
      guard count > 0 else { break }
      text += piece.prefix(count)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
