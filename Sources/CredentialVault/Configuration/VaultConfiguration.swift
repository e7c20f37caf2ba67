package import VaultModel

/// The user's configuration: lines of `name = value`, comments and empty lines.
///
/// A change keeps every line that it does not concern. Source: `Documentation/configuration.md`.
package struct VaultConfiguration: Sendable {
  /// The names that a line can have.
  package enum Name: String, CaseIterable, Sendable {
    /// A vault of the list; every other name is in one line only.
    case search
    /// The vault that is written.
    case `default`
    /// The key file that unlocks vaults if nothing else is named.
    case key
    /// Whether, and how long, the key of a passphrase that was typed is remembered.
    case remember
    /// Whether Git's helper may prompt on the terminal.
    case gitPrompt = "git.prompt"
    /// Whether Git's helper stores what Git gives it.
    case gitStore = "git.store"
    /// Whether Docker's helper may prompt on the terminal.
    case dockerPrompt = "docker.prompt"
    /// Whether Docker's helper stores what Docker gives it.
    case dockerStore = "docker.store"

    /// The names whose value is yes or no, and not a path.
    package static let flags: [Name] = [.gitPrompt, .gitStore, .dockerPrompt, .dockerStore]
  }

  /// A line as it is in the file, and its meaning.
  private struct Line {
    let text: String
    let name: Name?
    let entry: ListedVault?
    let flag: Bool?
    let time: RememberedTime?

    init(
      _ text: String, _ name: Name? = nil, _ entry: ListedVault? = nil, flag: Bool? = nil,
      time: RememberedTime? = nil
    ) {
      (self.text, self.name, self.entry, self.flag, self.time) = (text, name, entry, flag, time)
    }

    init(_ name: Name, _ entry: ListedVault) {
      let words =
        (entry.isReadOnly ? ["read-only"] : []) + (entry.owner.map { ["owner:\($0)"] } ?? [])
      let value = (words + [entry.path]).joined(separator: " ")
      self.init("\(name.rawValue) = \(value)", name, entry)
    }
  }

  private let path: String
  private let home: String?
  private var lines: [Line] = []

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - text: The contents of the file.
  ///   - path: Its path, for messages.
  ///   - home: The folder that `~` means.
  /// - Throws: ``VaultError/Code/configuration``, which names the line and does not repeat it.
  package init(_ text: String, at path: String, home: String?) throws(VaultError) {
    self.path = path
    self.home = home
    var texts = text.split(separator: "\n", omittingEmptySubsequences: false)
    if texts.last?.isEmpty == true { texts.removeLast() }
    for (index, text) in texts.enumerated() {
      do throws(VaultError) {
        lines.append(try line(String(text)))
      } catch {
        throw VaultError(error.code, "\(path):\(index + 1): \(error.context)")
      }
    }
    try checkDefault()
  }

  // MARK: Contents

  /// The vaults of the list, in order.
  package var entries: [ListedVault] { lines.filter { $0.name == .search }.compactMap(\.entry) }

  /// The path of the vault that a line makes the default.
  package var namedDefault: String? { lines.first { $0.name == .default }?.entry?.path }

  /// The path of the key file.
  package var keyFile: String? { lines.first { $0.name == .key }?.entry?.path }

  /// Returns a value that is yes or no; nil if no line has the name.
  package func flag(_ name: Name) -> Bool? { lines.first { $0.name == name }?.flag }

  /// The time for which the key of a typed passphrase is remembered; nil if it is not.
  package var remembers: RememberedTime? { lines.first { $0.name == .remember }?.time }

  /// Returns the number of the line with a name and, of `search`, a path; nil if there is none.
  package func lineNumber(of name: Name, path: String? = nil) -> Int? {
    lines.firstIndex { $0.name == name && (path == nil || $0.entry?.path == path) }.map { $0 + 1 }
  }

  /// The default vault: the named one, else the first of the list that may be written, else the
  /// first.
  package var defaultVault: ListedVault? {
    if let path = namedDefault { return entries.first { $0.path == path } ?? ListedVault(path) }
    return entries.first { !$0.isReadOnly } ?? entries.first
  }

  /// The contents as they are written.
  package var text: String { lines.map { $0.text + "\n" }.joined() }

  // MARK: Changes

  /// Replaces the list; a default vault that is no longer in it is no longer the default.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a path that a line cannot hold, or two that
  ///   are equal, or a default vault that is only read.
  package mutating func setEntries(_ entries: [ListedVault]) throws(VaultError) {
    var changed = self
    let first = lines.firstIndex { $0.name == .search } ?? lines.count
    changed.lines.removeAll { $0.name == .search }
    changed.lines.insert(contentsOf: entries.map { Line(.search, $0) }, at: first)
    if let path = namedDefault, !entries.contains(where: { $0.path == path }) {
      changed.lines.removeAll { $0.name == .default }
    }
    self = try changed.checked(entries)
  }

  /// Makes a vault of the list the default.
  ///
  /// - Throws: As ``setEntries(_:)``, and ``VaultError/Code/invalidArgument`` if the list does not
  ///   have it.
  package mutating func setDefault(_ path: String) throws(VaultError) {
    guard entries.contains(where: { $0.path == path }) else {
      throw VaultError(.invalidArgument, "\(path) is not in the list")
    }
    var changed = self
    let line = Line(.default, ListedVault(path))
    if let index = lines.firstIndex(where: { $0.name == .default }) {
      changed.lines[index] = line
    } else {
      changed.lines.append(line)
    }
    self = try changed.checked(entries)
  }

  /// Returns the configuration as it is read again, which must have the same list.
  private func checked(_ entries: [ListedVault]) throws(VaultError) -> VaultConfiguration {
    do throws(VaultError) {
      let again = try VaultConfiguration(text, at: path, home: home)
      guard again.entries == entries else {
        throw VaultError(.invalidArgument, "a path or owner cannot be written in a line")
      }
      return self
    } catch {
      throw VaultError(.invalidArgument, error.context)
    }
  }

  // MARK: Lines

  private func line(_ text: String) throws(VaultError) -> Line {
    let content = Self.trimmed(text[...])
    if content.isEmpty || content.hasPrefix("#") { return Line(text) }
    guard !content.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw VaultError(.configuration, "it holds a control character")
    }
    guard let equals = content.firstIndex(of: "=") else {
      throw VaultError(.configuration, "it is not of the form name = value")
    }
    guard let name = Name(rawValue: String(Self.trimmed(content[..<equals]))) else {
      throw VaultError(.configuration, "the name is unknown")
    }
    let value = Self.trimmed(content[content.index(after: equals)...])
    guard !Self.Name.flags.contains(name) else {
      try requireFirst(name)
      guard value == "yes" || value == "no" else {
        throw VaultError(.configuration, "\(name.rawValue) is yes or no")
      }
      return Line(text, name, flag: value == "yes")
    }
    guard name != .remember else {
      try requireFirst(name)
      do throws(VaultError) {
        return Line(text, name, time: try RememberedTime.setting(String(value)))
      } catch {
        throw VaultError(.configuration, "remember: \(error.context)")
      }
    }
    let entry = try Self.entry(value, takesWords: name == .search, home)
    try requireFirst(name, path: name == .search ? entry.path : nil)
    return Line(text, name, entry)
  }

  private func requireFirst(_ name: Name, path: String? = nil) throws(VaultError) {
    guard lineNumber(of: name, path: path) == nil else {
      throw VaultError(.configuration, "an earlier line has the same \(name.rawValue)")
    }
  }

  /// Reads a path, for the list with the words before it.
  private static func entry(
    _ value: Substring, takesWords: Bool, _ home: String?
  ) throws(VaultError) -> ListedVault {
    var rest = value
    var entry = ListedVault("")
    while takesWords, !rest.hasPrefix("/"), !rest.hasPrefix("~/"),
      let blank = rest.firstIndex(of: " ")
    {
      let word = rest[..<blank]
      if word == "read-only", !entry.isReadOnly {
        entry.isReadOnly = true
      } else if word.hasPrefix("owner:"), word.utf8.count > 6, entry.owner == nil {
        entry.owner = String(word.dropFirst(6))
      } else {
        throw VaultError(.configuration, "only read-only and owner:USER may precede a path")
      }
      rest = trimmed(rest[blank...])
    }
    if rest.hasPrefix("~/"), let home { rest = "\(home)/\(rest.dropFirst(2))" }
    guard rest.hasPrefix("/") else {
      throw VaultError(.configuration, "a path begins with / or ~/")
    }
    guard !rest.hasSuffix("/") else { throw VaultError(.configuration, "the path names no file") }
    guard entry.owner == nil || entry.isReadOnly else {
      throw VaultError(.configuration, "only a read-only vault has another owner")
    }
    entry.path = String(rest)
    return entry
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }

  private func checkDefault() throws(VaultError) {
    guard let path = namedDefault, !entries.isEmpty else { return }
    guard let entry = entries.first(where: { $0.path == path }) else {
      throw VaultError(.configuration, "\(self.path): the default is not in the list")
    }
    guard !entry.isReadOnly else {
      throw VaultError(.configuration, "\(self.path): the default is listed as read-only")
    }
  }
}
