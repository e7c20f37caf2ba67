package import VaultCrypto
package import VaultModel

/// A machine's records of a vault, written by somebody who can open it: `Documentation/format.md`
/// §8.
package struct StateRecord: Sendable {
  package let vault: VaultID
  private let key: RecordKey

  /// Takes the record key from a vault that this process does not have open.
  package init(of path: String, key: UnlockKey) throws {
    let ident = try Ident(decoding: Database.bytes("SELECT ident FROM vault", of: path))
    let id = try Database.bytes("SELECT min(id) FROM slot", of: path)
    let body = try Database.bytes("SELECT body FROM slot ORDER BY id", of: path)
    let slot = try Slot(decoding: body, id: UInt32(String(decoding: id, as: UTF8.self)) ?? 1)
    let keys = try slot.open(with: key, idents: [ident])
    let head = try keys.open(
      Database.bytes("SELECT head FROM vault", of: path), as: .head, id: 0)
    vault = ident.vaultID
    self.key = try keys.open(recordKey: Self.recordKey(in: head))
  }

  /// Returns field 11 of a head; its tags are below 128, and its lengths below 2¹⁴.
  private static func recordKey(in head: [UInt8]) -> [UInt8] {
    var position = 0
    while position < head.count {
      let tag = head[position]
      var count = Int(head[position + 1])
      position += 2
      if count > 127 {
        count = count & 127 | Int(head[position]) << 7
        position += 1
      }
      if tag == 11 { return Array(head[position..<position + count]) }
      position += count
    }
    return []
  }

  /// Returns the record of the state seen of the vault at a path.
  package func seen(
    epoch: UInt64, generation: UInt64, head: [UInt8], at path: String
  ) -> [UInt8] {
    var bytes = Array("vltseen1".utf8)
    for number in [epoch, generation] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
    return proven(bytes + head, at: path)
  }

  /// Returns the record of which vault is at a path.
  package func place(at path: String) -> [UInt8] {
    proven(Array("vltplace".utf8) + vault.bytes, at: path)
  }

  /// Returns a record as it would be at another path.
  package func moved(_ record: [UInt8], to path: String) -> [UInt8] {
    proven(Array(record.dropLast(32)), at: path)
  }

  private func proven(_ bytes: [UInt8], at path: String) -> [UInt8] {
    bytes + key.authenticate(bytes + Hash.hash(Array(path.utf8), count: 16))
  }
}

extension VaultFixture {
  /// Returns the path of the file with the vault's generations.
  package func seenPath() throws -> String { try remembered(".seen") }

  /// Returns the path of the file that says which vault is at the path.
  package func placePath() throws -> String { try remembered(".place") }

  private func remembered(_ suffix: String) throws -> String {
    let names = try folder.contents(of: "state/vaultctl").filter { $0.hasSuffix(suffix) }
    guard names.count == 1 else {
      throw VaultError(.internalError, "\(names.count) files end in \(suffix)")
    }
    return stateFolder + "/" + names[0]
  }

  /// Returns the names of the files that were put aside because they did not verify.
  package func unverified() throws -> [String] {
    try folder.contents(of: "state/vaultctl").filter { $0.hasSuffix(".unverified") }
  }
}
