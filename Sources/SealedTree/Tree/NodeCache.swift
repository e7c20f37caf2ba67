package import VaultCrypto

/// Opened nodes, each under the tag that verifies it.
///
/// A node is looked up by the tag from its parent, so an entry is never stale: a different tag is a
/// different node. Contents are attributes; the secrets in them are still sealed.
package struct NodeCache {
  private struct Node {
    let tag: Tag
    let content: [UInt8]
  }

  private let highestByteCount: Int
  private var nodes: [UInt64: Node] = [:]
  private var byteCount = 0

  package init(highestByteCount: Int = 64 << 20) {
    self.highestByteCount = highestByteCount
  }

  package func content(_ id: UInt64, tag: Tag) -> [UInt8]? {
    guard let node = nodes[id], node.tag == tag else { return nil }
    return node.content
  }

  package mutating func insert(_ content: [UInt8], _ id: UInt64, tag: Tag) {
    if byteCount + content.count > highestByteCount { removeAll() }
    byteCount += content.count
    if let old = nodes.updateValue(Node(tag: tag, content: content), forKey: id) {
      byteCount -= old.content.count
    }
  }

  package mutating func removeAll() {
    nodes.removeAll()
    byteCount = 0
  }
}
