import SecureMemory
import TestSupport
import VaultModel

@testable import Interchange

/// An entry as tests compare it: one line for each item, with the secret only as what it is
/// compared with.
struct ReadEntry: Equatable, CustomStringConvertible {
  var place: String
  var items: [String] = []
  var rejection: String?
  var exclusion: Exclusion?
  var remarks: [Remark] = []

  init(_ entry: Entry) {
    place = entry.place.description
    remarks = entry.kinds
    switch entry.content {
    case .items(let items): self.items = items.map(Self.line)
    case .rejected(let reason): rejection = reason
    case .leftOut(let exclusion): self.exclusion = exclusion
    case .policy: break
    }
  }

  var description: String {
    "\(place): \(rejection ?? exclusion?.rawValue ?? items.joined(separator: " + "))"
  }

  /// Returns the place of an item: `https://ann@example.com:8443/path "realm"`, or
  /// `generic "service" ann`.
  static func line(_ item: Item) -> String {
    let key = item.key
    guard key.itemClass == .internetPassword else {
      return "generic \"\(key.service)\" \(key.account)"
    }
    let user = key.account.isEmpty ? "" : "\(key.account)@"
    return "\(key.protocol)://\(user)\(key.server)" + (key.port == 0 ? "" : ":\(key.port)")
      + (key.path.isEmpty ? "" : "/\(key.path)") + (key.realm.isEmpty ? "" : " \"\(key.realm)\"")
  }
}

/// Returns the entries of a text.
func entries(
  _ format: InterchangeFormat, _ text: String, _ options: ReadingOptions = ReadingOptions()
) throws(VaultError) -> [Entry] {
  try entries(format, ByteSource(Secret(text)), options)
}

func entries(
  _ format: InterchangeFormat, _ source: ByteSource, _ options: ReadingOptions = ReadingOptions()
) throws(VaultError) -> [Entry] {
  var reader = try format.reader(of: source, options)
  var entries: [Entry] = []
  while let entry = try reader.next() { entries.append(entry) }
  return entries
}

/// Returns the entries of a text as tests compare them.
func read(
  _ format: InterchangeFormat, _ text: String, _ options: ReadingOptions = ReadingOptions()
) throws(VaultError) -> [ReadEntry] {
  try entries(format, text, options).map(ReadEntry.init)
}

extension Entry {
  var items: [Item] {
    if case .items(let items) = content { items } else { [] }
  }

  var rejection: String? {
    if case .rejected(let reason) = content { reason } else { nil }
  }

  /// The secret of the item with its further secrets.
  var furtherText: String? {
    further.first?.secret.map { String(decoding: $0.array, as: UTF8.self) }
  }

  /// The key of the one-time passwords of all its items.
  var oneTimeKey: String? {
    let keys = items.compactMap { item in
      item.oneTimePasswordKey.map { String(decoding: $0.array, as: UTF8.self) }
    }
    return keys.count == items.count && Set(keys).count == 1 ? keys[0] : nil
  }

  /// The kinds of its remarks, in their order.
  var kinds: [Remark] { Remark.allCases.filter { remarks[$0] != nil } }

  /// Returns whether the entry has items, and all of them this secret.
  func has(secret: String) -> Bool {
    !items.isEmpty && items.allSatisfy { $0.secret?.isEqual(to: Secret(secret)) ?? false }
  }
}

extension Item {
  /// The address as a URL with its path and without a user.
  var addressWithPath: String {
    let path = PercentEncoding.encode(path, keeping: "/?=&;,:@!$'()*+")
    return path.isEmpty ? address() : "\(address())/\(path)"
  }
}
