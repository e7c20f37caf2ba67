import FuzzTesting
import Interchange
import SecureMemory
import VaultModel

/// The readers of other programs' files, each with the same promises.
extension FuzzTarget {
  static let interchange: [FuzzTarget] =
    [
      .firefox, .chrome, .apple, .bitwarden, .onePassword, .keepassXC, .lastPass, .dashlane,
      .nordPass, .protonPass, .roboForm, .buttercup, .keeper, .table, .netrc, .gitCredentials,
      .keychainDump, .secretTool,
    ].map(reader) + [passFile, detection]

  /// Returns the target of a whole file of a format.
  static func reader(_ format: InterchangeFormat) -> FuzzTarget {
    FuzzTarget(name: "import-\(format.rawValue)") { bytes in
      let source = ByteSource(Secret(copying: bytes.span))
      var outcome = Outcome.refused
      var count = 0
      let isWhole = try reading(refusing: .invalidData) { () throws(VaultError) -> [Entry] in
        var reader = try format.reader(of: source)
        var entries: [Entry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
      }
      for entry in isWhole ?? [] {
        count += 1
        if try check(entry) { outcome = .read }
      }
      try require(count <= bytes.count + 1, "more entries than bytes")
      try require(isWhole == nil || source.offset == bytes.count, "the end was not reached")
      return outcome
    }
  }

  /// A file of a `pass` store: its path in the first line.
  private static let passFile = FuzzTarget(name: "import-pass") { bytes in
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    let path = String(decoding: parts.first ?? [], as: UTF8.self)
    let text = Array(parts.dropFirst().first ?? [])
    let entry = try PassFile.entry(path: path, ByteSource(Secret(copying: text.span)))
    return try check(entry) ? .read : .refused
  }

  /// The format of a file, by its beginning.
  private static let detection = FuzzTarget(name: "import-auto") { bytes in
    let source = ByteSource(Secret(copying: bytes.span))
    let format = try reading(refusing: .invalidData) { () throws(VaultError) in
      try InterchangeFormat.detect(source)
    }
    try require(source.offset == 0, "the beginning was taken")
    return format == nil ? .refused : .read
  }

  /// Requires what holds for every entry, and returns whether it has items.
  private static func check(_ entry: Entry) throws -> Bool {
    guard case .items(let items) = entry.content else { return false }
    try require(!items.isEmpty, "neither an item nor a reason")
    for item in items {
      try require(item.secret.map { $0.count > 0 } ?? false, "an item without a secret")
      try require(item.secretChanged <= Timestamp.now(), "a secret from the future")
      let isValid: Void? = try reading(body: { () throws(VaultError) in try item.validate() })
      try require(isValid != nil, "an item that no store takes")
      let texts = [item.comment, item.label] + item.custom.values
      try require(
        !texts.contains { $0.contains("otpauth://") && $0 != item.label },
        "the key of one-time passwords in an attribute")
    }
    return true
  }
}
