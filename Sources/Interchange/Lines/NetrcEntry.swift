import SecureMemory
import VaultModel

/// One entry while its tokens are read.
struct NetrcEntry {
  let line: Int
  var host: String?
  var account: String?
  var secret: Secret?
  var port: String?
  var `protocol`: String?
  var path: String?
  /// The second password of FTP.
  var others: [Secret] = []
  /// Passwords and other values behind a word that was there before.
  var passwords: [Secret] = []
  var seconds: [String] = []
  var unknownWords: [String] = []
  var isDefault = false
  /// Whether the file ends in one of its tokens.
  var mayBeCut = false
  private var problem: String?

  init(line: Int) {
    self.line = line
  }

  /// Rejects the entry for the first of its problems.
  mutating func reject(_ reason: String) { problem = problem ?? reason }

  /// Adds one of several parts; no entry that people have has as many as it can.
  mutating func add<T>(_ parts: WritableKeyPath<NetrcEntry, [T]>, _ part: T) {
    if self[keyPath: parts].count < 100 {
      self[keyPath: parts].append(part)
    } else {
      reject("too many words")
    }
  }

  func entry(_ options: ReadingOptions) -> Entry {
    let place = Place.line(line)
    if let problem { return Entry(place, .rejected(problem), title: host ?? "") }
    if isDefault { return Entry(place, .leftOut(.everyHost), title: "default") }
    var draft = EntryDraft(place, path: .scope, options)
    do throws(VaultError) {
      guard let host, !host.isEmpty else {
        throw VaultError(.invalidData, "no host after \"machine\"")
      }
      // An IPv6 address has colons of its own.
      let isAddress = host.utf8.filter { $0 == UInt8(ascii: ":") }.count > 1
      var text = isAddress && !host.hasPrefix("[") ? "[\(host)]" : host
      if let port { text += ":\(port)" }
      let scheme = try NetworkProtocol(`protocol` ?? options.assumedProtocol.rawValue)
      guard !text.utf8.contains(where: { "/?#@".utf8.contains($0) }) else {
        throw VaultError(.invalidData, "host: not a host")
      }
      draft.addAddress(try URLReference("\(scheme)://\(text)/\(path ?? "")"))
      if `protocol` == nil { draft.remark(.protocolAssumed) }
      for other in others { draft.addSecret("account", other) }
      for password in passwords { draft.addSecret("password", password) }
      for second in seconds { draft.addCustom("second", second) }
      for word in unknownWords { draft.remark(.otherField, word) }
      if mayBeCut { draft.remark(.mayBeCut) }
      draft.account = account ?? ""
      if let secret {
        try secret.withRawBytes { (bytes) throws(VaultError) in try draft.read(secret: bytes) }
      }
    } catch {
      return Entry(place, .rejected(error.text), title: host ?? "")
    }
    var entry = draft.entry()
    if entry.title.isEmpty { entry.title = host ?? "" }
    return entry
  }
}
