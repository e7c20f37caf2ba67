import SecureMemory
package import VaultModel

/// All items of a vault by their ids, each as a sequence of bytes that distinguishes any two.
package struct ItemBytes: Equatable, Sendable {
  private var items: [ItemID: [UInt8]] = [:]

  package init() {}

  package init(_ items: [Item], withSecrets: Bool) {
    for item in items { put(item, withSecrets: withSecrets) }
  }

  package var count: Int { items.count }

  /// Adds an item as it is, or replaces one of the same id.
  package mutating func put(_ item: Item, withSecrets: Bool) {
    items[item.id] = Self.bytes(item, withSecrets: withSecrets)
  }

  package mutating func remove(_ id: ItemID) {
    items[id] = nil
  }

  /// Returns whether `other` has each item here with the same bytes.
  package func isSubset(of other: ItemBytes) -> Bool {
    items.allSatisfy { other.items[$0] == $1 }
  }

  /// Returns the number of items that differ, for a failure's message: nothing of the items
  /// themselves.
  package func difference(from other: ItemBytes) -> Int {
    Set(items.keys).union(other.items.keys).count { items[$0] != other.items[$0] }
  }

  private static func bytes(_ item: Item, withSecrets: Bool) -> [UInt8] {
    let custom = item.custom.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    let texts =
      [
        item.account, item.realm, item.server.name, item.protocol.rawValue,
        item.authenticationMethod.rawValue, item.path, item.label, item.comment, item.kind,
        item.origin, item.accountDomain,
      ] + custom
    var bytes: [UInt8] = []
    for text in texts { bytes += Array(text.utf8) + [0] }
    let numbers: [UInt64] = [
      UInt64(item.port), UInt64(item.creator), UInt64(item.type), item.isInvisible ? 1 : 0,
      item.isNegative ? 1 : 0, UInt64(bitPattern: item.created.milliseconds),
      UInt64(bitPattern: item.modified.milliseconds), item.revision,
      UInt64(bitPattern: item.expires?.milliseconds ?? .min), UInt64(item.secretKind.rawValue),
    ]
    for number in numbers {
      for shift in stride(from: 0, to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
      }
    }
    guard withSecrets else { return bytes }
    for secret in [item.secret, item.refreshToken, item.oneTimePasswordKey] {
      bytes += [secret == nil ? 0 : 1]
      // Bytes of a published golden vault or of a test: nothing that has to stay secret.
      secret?.withRawBytes { span in
        for offset in 0..<span.byteCount {
          // The offset is below the span's count.
          bytes.append(unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
      }
      bytes.append(0)
    }
    return bytes
  }
}
