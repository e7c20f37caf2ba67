import FuzzTesting
import SecureMemory
import VaultTerminal

/// Output of a pinentry.
extension FuzzTarget {
  /// Output of a pinentry, in pieces of as many bytes as the first byte says.
  static let pinentry = FuzzTarget(name: "pinentry") { bytes in
    var input = Input(bytes)
    let count = max(1, Int(input.byte()))
    let text = input.remaining()
    let (pieces, whole) = (try said(text, by: count), try said(text, by: text.count + 1))
    try require(pieces == whole, "in pieces, and another dialogue")
    return whole.last == .passphrase ? .read : .refused
  }

  private enum Said: Equatable {
    case line(String)
    case passphrase
    case ended
  }

  /// Returns the dialogue until its end, or that of the text.
  private static func said(_ text: [UInt8], by count: Int) throws -> [Said] {
    var dialogue = PinentryDialogue(forVaultAt: "/v", by: nil, options: ["ttyname=/dev/tty"])
    var rest = text[...]
    var said: [Said] = []
    while !rest.isEmpty {
      let steps = unsafe dialogue.receive { memory in
        let piece = rest.prefix(min(memory.count, count))
        rest = rest.dropFirst(piece.count)
        unsafe memory.copyBytes(from: piece)
        return piece.count
      }
      for step in steps {
        switch step {
        case .wait: continue
        case .send(let line):
          try require(line.hasSuffix("\n") && !line.dropLast().contains("\n"), "not one line")
          said.append(.line(line))
        case .passphrase(let secret):
          try require(said.last == .line("GETPIN\n"), "a passphrase that nobody asked for")
          try require(secret.count <= text.count, "a passphrase that nobody said")
          return said + [.passphrase]
        case .ended: return said + [.ended]
        }
      }
    }
    return said
  }
}
