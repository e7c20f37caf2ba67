import SecureMemory
import VaultModel

/// The text of a keychain's secure note: a property list in XML, with the text under `NOTE`.
final class KeychainNote: XMLEvents.Delegate {
  private var text = SecretBuffer()
  private var collects = false
  private var key = ""
  private var note: Secret?
  private var isWhole = true

  /// Returns the text, and whether the note has nothing else; nil if the secret is no such list.
  static func text(_ secret: Secret) -> (text: Secret, isWhole: Bool)? {
    let note = KeychainNote()
    do throws(VaultError) {
      let parser = try XMLEvents("the note", delegate: note)
      try secret.withRawBytes { (bytes) throws(VaultError) in
        try parser.parse(bytes, isLast: true)
      }
    } catch {
      // The secret stays as it is.
      return nil
    }
    return note.note.flatMap { $0.count > 0 ? ($0, note.isWhole) : nil }
  }

  func begin(_ element: String, attributes: [(name: String, value: String)]) {
    text.removeAll()
    collects = ["key", "string"].contains(element)
  }

  func text(_ bytes: RawSpan) {
    if collects { text.append(bytes) }
  }

  func end(_ element: String) {
    switch element {
    case "key": key = text.text(0..<text.count) ?? ""
    case "string" where key == "NOTE": note = text.secret(0..<text.count)
    case "string", "data": isWhole = false
    default: break
    }
    collects = false
  }
}
