import SealedTree
import VaultCrypto
import VaultModel

/// All rows of a vault that may be damaged anywhere, by their own claims.
///
/// There are two scans: for the rows that lead to the keys, and then for those that the keys open.
/// Only the place of a row is kept, and nothing of rows from other vaults: without a key, nobody
/// can increase that.
final class RawRows {
  /// A row that opens, with the tag for its parent.
  struct Node {
    let id: UInt64
    let tag: Tag
    fileprivate let place: UInt64

    /// Returns the only kind as which it could open.
    fileprivate static func kind(_ id: UInt64) -> NodeKind {
      if id >= NodeID.firstLargeSecret { return .largeSecret }
      return id & 1 << 32 == 0 ? .bucket : .chunk
    }
  }

  /// The limit for distinct idents and slots: more than that must have been planted.
  private static let mostCandidates = 256
  /// The slots of machines come beside them; only the one of the given key is tried.
  private static let mostSlots = mostCandidates + SlotLimits.mostMachines
  private let scan: PageScan
  private var cache = NodeCache(highestByteCount: 16 << 20)
  private var idents: [Ident] = []
  private var slots: [Slot] = []
  /// Whether a row looks like a slot but is damaged: the right key may then open nothing.
  private var hasDamagedSlots = false
  /// The size of the file in bytes, with its journal's pages.
  let byteCount: Int
  /// The rows in ascending order of id; several may claim one id, and tags decide which is right.
  private(set) var nodes: [Node] = []
  /// The newest head that opens.
  private(set) var head: Head?

  /// Looks for idents and slots.
  ///
  /// - Throws: ``VaultError/Code/notAVault``; as ``RawFile``.
  init(of path: VaultPath) throws(VaultError) {
    let file = try RawFile(path)
    byteCount = file.byteCount
    scan = PageScan(file)
    var hasRows = false
    scan.eachRow { row in
      hasRows = hasRows || row.sizes.count == 2 || row.isNode
      add(row)
    }
    guard !slots.isEmpty || hasRows else {
      throw VaultError(.notAVault, "\(path.path) holds nothing of a vault")
    }
  }

  private func add(_ row: PageScan.Row) {
    guard !row.isNode, let bytes = scan.firstBlob(of: row) else { return }
    do throws(VaultError) {
      if row.sizes.count == 2 {
        let ident = try Ident(decoding: bytes, knowing: MigrationChain.current.features)
        guard idents.count < Self.mostCandidates, !idents.contains(ident) else { return }
        idents.append(ident)
      } else {
        let slot = try Slot(decoding: bytes, id: UInt32(clamping: row.id))
        guard slots.count < (slot.kind == .machine ? Self.mostSlots : Self.mostCandidates),
          !slots.contains(slot)
        else { return }
        slots.append(slot)
      }
    } catch {
      // Another kind of row, or damaged: another copy may be intact.
      if row.sizes.count == 1 { hasDamagedSlots = true }
    }
  }

  // MARK: Keys

  /// Returns the epoch's keys from the first slot that opens.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed``; ``VaultError/Code/damaged`` if ident or
  ///   slots are lost, so that nothing can be opened, or if there are more slots to try than a
  ///   vault has.
  func keys(for key: UnlockKey) throws(VaultError) -> (keys: EpochKeys, slot: Slot) {
    guard !idents.isEmpty else { throw VaultError(.damaged, "the vault's ident is lost") }
    guard !slots.isEmpty else { throw VaultError(.damaged, "all slots are lost") }
    let candidates = slots.filter { $0.takes(key) }
    // Without a KDF a slot costs nothing to try.
    try SlotLimits.check(candidates.filter(\.hasKDF))
    var failure =
      hasDamagedSlots
      ? VaultError(.damaged, "the key opens no slot that is left, and others are damaged")
      : VaultError(.authenticationFailed, "the key opens no slot that is left")
    if candidates.isEmpty, let missing = slots.lazy.compactMap({ $0.missing(beside: key) }).first {
      throw missing
    }
    for slot in candidates {
      do throws(VaultError) {
        // Derived once for any number of idents.
        return (try slot.open(with: key, idents: idents), slot)
      } catch {
        if error.code != .authenticationFailed { failure = error }
      }
    }
    throw failure
  }

  // MARK: Rows

  /// Records every row that the keys open, and the newest head.
  func find(with keys: EpochKeys) {
    var enough = 4096
    scan.eachRow { row in
      if row.sizes.count == 2 { return addHead(row, keys) }
      // Ancestors save no item.
      guard row.isNode, row.id < NodeID.firstAncestors,
        let sealed = scan.blobs(of: row, isCounted: true).first,
        keys.isAuthentic(sealed, as: Node.kind(row.id), id: row.id)
      else { return }
      nodes.append(Node(id: row.id, tag: Tag(ofSealed: sealed), place: row.place))
      guard nodes.count > enough else { return }
      dropCopies()
      enough = max(enough, 2 * nodes.count)
    }
    dropCopies()
  }

  /// Sorts the rows, and drops duplicates: a good row may occur many times.
  private func dropCopies() {
    nodes.sort { one, other in
      (one.id, one.tag.high, one.tag.low, one.place)
        < (other.id, other.tag.high, other.tag.low, other.place)
    }
    var kept = 0
    for index in nodes.indices {
      let node = nodes[index]
      if kept > 0, nodes[kept - 1].id == node.id, nodes[kept - 1].tag == node.tag { continue }
      nodes[kept] = node
      kept += 1
    }
    nodes.removeSubrange(kept...)
  }

  private func addHead(_ row: PageScan.Row, _ keys: EpochKeys) {
    do throws(VaultError) {
      let sealed = scan.blobs(of: row, isCounted: true)[1]
      let found = try Head(decoding: keys.open(sealed, as: .head, id: 0))
      if found.generation > head?.generation ?? 0 { head = found }
    } catch {
      // Another one may open.
      return
    }
  }

  /// Returns the index in ``nodes`` of the row with an id and a tag; nil if there is none.
  func node(_ id: UInt64, _ tag: Tag) -> Int? {
    var (low, high) = (0, nodes.count)
    while low < high {
      let middle = (low + high) / 2
      if nodes[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return nodes[low...].prefix { $0.id == id }.firstIndex { $0.tag == tag }
  }

  /// Reads a row's sealed bytes from the file.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if they have changed.
  func sealed(_ node: Node) throws(VaultError) -> [UInt8] {
    guard let row = scan.row(at: node.place),
      let sealed = scan.blobs(of: row, isCounted: false).first, Tag(ofSealed: sealed) == node.tag
    else { throw VaultError(.damaged, "row \(node.id) cannot be read again") }
    return sealed
  }

  /// Returns the content of a bucket or chunk.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  func content(_ node: Node, _ keys: EpochKeys) throws(VaultError) -> [UInt8] {
    if let content = cache.content(node.id, tag: node.tag) { return content }
    let content = try keys.open(sealed(node), as: Node.kind(node.id), id: node.id)
    cache.insert(content, node.id, tag: node.tag)
    return content
  }
}

extension PageScan.Row {
  /// Whether it has a node's columns and size.
  fileprivate var isNode: Bool {
    sizes.count == 1 && sizes[0] >= 512 && sizes[0].isMultiple(of: 512)
  }
}
