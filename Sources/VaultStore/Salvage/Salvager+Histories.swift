import SealedTree
import VaultModel

/// Saving previous secrets beside the items that they belong to.
extension Salvager {
  /// Saves the previous secrets of saved items, as many as the vault keeps of each, the newest
  /// first.
  ///
  /// Those of items that are not in the new vault could not be reached.
  func takeHistories() {
    guard !previous.isEmpty else { return }
    var items: [UInt64: Int] = [:]
    for (index, saved) in saved.enumerated() {
      guard let owner = owner(saved) else { continue }
      items[hashes.hash(of: owner)] = index
    }
    previous.sort { ($0.owner, $1.replaced) < ($1.owner, $0.replaced) }
    let limit = Int(head?.historyLimit ?? UInt8(PreviousSecret.defaultLimit))
    var (owner, count): (UInt64?, Int) = (nil, 0)
    for past in previous {
      count = past.owner == owner ? count + 1 : 1
      owner = past.owner
      guard count <= limit, let item = items[past.owner] else { continue }
      owners[saved.count] = item
      saved.append(past.saved)
    }
    previous = []
  }

  /// Sorts the saved records by their place in the file, with their owners.
  func sortSaved() {
    let order = saved.indices.sorted {
      (saved[$0].node, saved[$0].offset) < (saved[$1].node, saved[$1].offset)
    }
    var places = [Int](repeating: 0, count: saved.count)
    for (place, index) in order.enumerated() { places[index] = place }
    saved = order.map { saved[$0] }
    owners = Dictionary(uniqueKeysWithValues: owners.map { (places[$0.key], places[$0.value]) })
  }

  /// Returns the owner of previous secrets for a saved record; nil if it is neither an item nor a
  /// removed one.
  private func owner(_ saved: Saved) -> PreviousRecord.Owner? {
    do throws(VaultError) {
      switch saved.kind {
      case RecordKind.item:
        let bytes = try record(saved)
        let item = try ItemRecord(decoding: bytes, Self.body(bytes)).item
        return PreviousRecord.Owner(item: item.id, removed: nil)
      case RecordKind.removedItem:
        let bytes = try record(saved)
        return PreviousRecord.Owner(try RemovedRecord(decoding: bytes, Self.body(bytes)))
      default: return nil
      }
    } catch {
      return nil
    }
  }
}
