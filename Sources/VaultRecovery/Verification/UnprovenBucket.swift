import SealedTree
import VaultCrypto
import VaultModel

/// A bucket that only its own seal vouches for, and no parent: it was valid once, but may be
/// outdated.
struct UnprovenBucket {
  private let content: [UInt8]

  /// Opens a row; nil if it does not open.
  init?(_ id: UInt64, in rows: any RowSource, keys: EpochKeys) throws(VaultError) {
    do throws(VaultError) {
      let sealed = try rows.row(id) ?? []
      content = try keys.open(sealed, as: .bucket, id: id)
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  /// The server of the first record; all records of a group's tree share it.
  var server: HostName? {
    do throws(VaultError) {
      var records = RecordReader(content)
      guard let record = try records.next() else { return nil }
      let host = try Route(kind: record.kind, content, record.body).key(level: 0)
      guard host != Route.rulesHost else { return nil }
      return HostName(canonical: String(decoding: host, as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// Its items, up to the first malformed record.
  var items: [InternetPassword] {
    var items: [InternetPassword] = []
    var records = RecordReader(content)
    do throws(VaultError) {
      while let record = try records.next() {
        guard record.kind == RecordKind.item else { continue }
        items.append(try ItemRecord(decoding: content, record.body).item)
      }
    } catch {
      return items
    }
    return items
  }
}
