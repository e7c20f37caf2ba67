import FuzzTesting
import AttackSupport
import SecureMemory
import StoreTesting
import TestSupport
import VaultModel

@testable import SealedTree
@testable import VaultCrypto
@testable import VaultStore

extension FuzzTarget {
  /// The content of a head (after a byte that is odd) or of the bucket of a vault with one,
  /// authentically sealed: a reader with the right key must withstand a file from somebody who also
  /// has it.
  static let sealed = FuzzTarget(name: "sealed") { bytes in
    var input = Input(bytes)
    let isHead = input.byte() & 1 == 1
    let content = input.remaining()
    let folder = try Folder()
    let plain = try SealedContent(content, isHead: isHead, in: folder)
    let refusals: Set<VaultError.Code> = [.damaged, .tooNew]
    do throws(VaultError) {
      return try GoldenVault.withStore(folder("v"), key: plain.key) { (store) throws(VaultError) in
        _ = try store.verify()
        let items = try store.find(ItemQuery(), withSecrets: true)
        _ = try store.policy()
        for item in items.prefix(4) {
          _ = try store.history(of: item.id, hint: item.key, withSecrets: true)
        }
        _ = try store.add(Workload.item("later", "later"))
        return .read
      }
    } catch {
      try require(refusals.contains(error.code), "refused with \(error.code): \(error.context)")
      return .refused
    }
  }
}

/// A vault of one bucket whose head or bucket was written by somebody who holds the key.
private struct SealedContent {
  let key: UnlockKey

  private static let ident = Result { () throws(VaultError) in
    guard let id = VaultID([UInt8](repeating: 7, count: VaultID.byteCount)[...]) else {
      throw VaultError(.internalError, "an id of 16 bytes")
    }
    return Ident(vaultID: id, epoch: 1)
  }

  init(_ content: [UInt8], isHead: Bool, in folder: Folder) throws {
    let ident = try Self.ident.get()
    let keys = EpochKeys(VaultKey(KeyBuffer([UInt8](repeating: 9, count: 32))), ident: ident)
    let file = KeyFile()
    key = .keyFile(file)
    let slot = try Slot(for: key, to: keys, id: 1, name: "", cost: .minimum)
    let body = slot.encoded
    let slots = keys.authenticate(slots: [(id: 1, body: body)])
    var head = Head(ident: ident, slots: slots)
    head.generation = 1
    head.recordKey = keys.seal(RecordKey())
    head.committed = Timestamp(seconds: 1_700_000_000)
    var rows = ""
    if !isHead {
      let row = keys.seal(content, as: .bucket, id: NodeID.bucket(0, tree: 0))
      head.directory.tags = [Tag(ofSealed: row)]
      head.directory.load = Self.count(of: content)
      rows = "INSERT INTO node VALUES (\(NodeID.bucket(0, tree: 0)), x'\(row.hex)');"
    }
    let headContent = isHead ? Self.head(content, like: head) : head.encoded
    let headRow = keys.seal(headContent, as: .head, id: 0)
    // The vault of another key, emptied: its tables are those of the format.
    try File.write(GoldenVault.small.get().bytes, to: folder("v"))
    try Database.run(
      """
      DELETE FROM vault; DELETE FROM slot; DELETE FROM node;
      INSERT INTO vault VALUES (0, x'\(ident.encoded.hex)', x'\(headRow.hex)');
      INSERT INTO slot VALUES (1, x'\(body.hex)'); \(rows)
      """, on: folder("v"))
  }

  /// Replaces the fields of a head that only this vault's can have: no mutation finds them.
  private static func head(_ content: [UInt8], like head: Head) -> [UInt8] {
    let own = [HeadTag.ident, .slots, .recordKey].map(\.rawValue)
    var writer = FieldWriter(keeping: fields(content).filter { !own.contains($0.tag) })
    writer.put(HeadTag.ident, head.ident)
    writer.put(HeadTag.slots, head.slots)
    writer.put(HeadTag.recordKey, head.recordKey)
    return writer.finish()
  }

  private static func fields(_ content: [UInt8]) -> [UnknownField] {
    var fields: [UnknownField] = []
    var reader = FieldReader(content, 0..<content.count)
    while let field = try? reader.next() { fields.append(reader.unknown(field)) }
    return fields
  }

  /// Returns the number of records in a bucket, as far as they can be separated.
  private static func count(of content: [UInt8]) -> UInt64 {
    var records = RecordReader(content)
    var count: UInt64 = 0
    while (try? records.next()) != nil { count += 1 }
    return count
  }
}
