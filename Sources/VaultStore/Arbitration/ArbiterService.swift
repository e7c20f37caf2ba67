public import VaultModel

/// An arbiter for another program, over a socket: for the library, which writes a replica.
///
/// Source: `Documentation/fleet.md`, "Ordered writes".
public enum ArbiterService: Sendable {
  /// Answers questions until the other end is gone; a lock that it held then ends.
  ///
  /// - Parameters:
  ///   - input: A socket, as standard input is one.
  ///   - output: The same one, or a copy.
  ///   - make: Returns what answers; its errors are answers, too.
  /// - Throws: ``VaultError/Code/damaged`` for what is no message;
  ///   ``VaultError/Code/unavailable`` if the other end is gone before its answer.
  public static func serve(
    input: Int32, output: Int32, _ make: () throws(VaultError) -> any Arbiter
  ) throws(VaultError) {
    let stream = ArbiterStream(input: input, output: output)
    var made: (any Arbiter)?
    defer { made?.abandon() }
    while let (kind, body) = try stream.next() {
      do throws(VaultError) {
        // Not with `??`, whose closure throws any error.
        if made == nil { made = try make() }
        guard let made else { return }
        try answer(kind, body, made, stream)
      } catch {
        // After rows, too: the other end drops them.
        try stream.put(error)
      }
      try stream.flush()
    }
  }

  private static func answer(
    _ kind: ArbiterStream.Kind, _ body: [UInt8], _ arbiter: any Arbiter, _ stream: ArbiterStream
  ) throws(VaultError) {
    switch kind {
    case .rows: try stream.put(arbiter.rows(after: generation(body)))
    case .opening: try stream.put(arbiter.opening())
    case .begin: try stream.put(arbiter.begin(after: generation(body)))
    case .copy:
      try arbiter.copy { (head) throws(VaultError) in
        try stream.putHead(head)
      } row: { (row) throws(VaultError) in
        try stream.put(row)
      }
      try stream.put(.end)
    case .keepLock:
      try arbiter.keepLock()
      try stream.put(.end)
    case .commit:
      // All of it has come before any of it is stored.
      try arbiter.commit(stream.takeDelta())
      try stream.put(.end)
    case .publish:
      try arbiter.publish(stream.takeDelta())
      try stream.put(.end)
    case .abandon:
      arbiter.abandon()
      try stream.put(.end)
    case .head, .row, .end, .failure: throw VaultError(.damaged, "an answer to no question")
    }
  }

  private static func generation(_ body: [UInt8]) throws(VaultError) -> UInt64 {
    guard body.count == 8 else { throw VaultError(.damaged, "a question without its generation") }
    return UInt64(bytes: body[...])
  }
}
