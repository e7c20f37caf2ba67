import CredentialVault
import SecureMemory
import VaultModel
import VaultTerminal

/// The list on the terminal, from its first drawing to the item that is taken.
struct Picker {
  /// The use of the item that was taken.
  enum Action {
    case copy, edit, explain, remove
  }

  /// The part of an item that is shown until the next key.
  enum Shown {
    case secret, oneTimePassword
  }

  /// Returns what a key shows: its line of explanation, and the secret.
  typealias Reveal =
    (Shown, VaultList.Found) throws(VaultError) -> (explanation: String, secret: Secret)

  private let found: [VaultList.Found]
  private let namesVaults: Bool
  private var list: PickList
  private var keys = PickKeys()
  /// The reason why a key had no effect, until the next key.
  private var message: String?

  /// - Parameters:
  ///   - found: The items, in the order of the list.
  ///   - namesVaults: Whether a row says which vault has the item.
  ///   - typed: What is typed already.
  init(_ found: [VaultList.Found], namesVaults: Bool, typed: String = "") {
    self.found = found
    self.namesVaults = namesVaults
    list = PickList(found.map { Self.texts(of: $0.item) })
    list.narrow(to: typed)
  }

  /// Lets the user choose.
  ///
  /// - Returns: The item and what to do with it; nil if the user leaves.
  /// - Throws: ``VaultError/Code/unavailable`` without a terminal;
  ///   ``VaultError/Code/interrupted`` after a signal. The terminal is restored.
  mutating func run(_ reveal: Reveal) throws(VaultError) -> (Action, VaultList.Found)? {
    let screen = try FullScreen()
    let watcher = try TerminalWatcher(screen.descriptor)
    defer {
      screen.leave()
      watcher.end()
    }
    while true {
      try draw(on: screen)
      guard case .keys(let bytes) = try screen.next() else { continue }
      message = nil
      for key in keys.read(bytes) {
        switch key {
        case .leave: return nil
        case .enter: if let found = selected { return (.copy, found) }
        case .edit: if let found = selected { return (.edit, found) }
        case .explain: if let found = selected { return (.explain, found) }
        case .remove: if let found = selected { return (.remove, found) }
        case .reveal: try show(.secret, on: screen, reveal)
        case .oneTimePassword: try show(.oneTimePassword, on: screen, reveal)
        default: change(by: key, PickScreen(screen).height)
        }
      }
    }
  }

  private var selected: VaultList.Found? { list.selected.map { found[$0] } }

  private mutating func change(by key: PickKey, _ page: Int) {
    switch key {
    case .text(let text): list.narrow(to: list.typed + text)
    case .erase: list.narrow(to: String(list.typed.dropLast()))
    case .eraseAll: list.narrow(to: "")
    case .eraseWord:
      let rest = list.typed.reversed().drop { $0 == " " }.drop { $0 != " " }
      list.narrow(to: String(rest.reversed()))
    case .up: list.move(by: -1)
    case .down: list.move(by: 1)
    case .pageUp: list.move(by: -page)
    case .pageDown: list.move(by: page)
    case .first: list.move(by: -list.count)
    case .last: list.move(by: list.count)
    default: break
    }
  }

  // MARK: Drawing

  private func draw(on screen: FullScreen) throws(VaultError) {
    try screen.write(
      PickScreen(screen).text(list, message: message) { entry in
        let item = found[entry].item
        let vault = namesVaults ? found[entry].vault.path : nil
        return (
          ItemText.place(item.key),
          [item.account, ItemText.ownLabel(of: item), item.realm, vault ?? ""]
            .filter { !$0.isEmpty }.joined(separator: "  ")
        )
      })
  }

  /// Shows something secret of the selected item until the next key.
  private mutating func show(
    _ shown: Shown, on screen: FullScreen, _ reveal: Reveal
  ) throws(VaultError) {
    guard let found = selected else { return }
    do throws(VaultError) {
      let (explanation, secret) = try reveal(shown, found)
      guard SecretText.isText(secret) else {
        throw VaultError(.invalidData, "the secret is not text")
      }
      try screen.write(
        "\u{1B}[H\u{1B}[2J" + Printable.text(ItemText.subject(found.item)) + "\r\n"
          + Printable.text(explanation) + "\r\n\n")
      try screen.write(secret, withReturns: true)
      _ = try screen.next()
      try screen.write("\u{1B}[H\u{1B}[2J")
    } catch {
      guard ![.interrupted, .missingInput, .inputOutput].contains(error.code) else { throw error }
      message = error.text
    }
  }

  /// The texts by which people may look for an item.
  private static func texts(of item: Item) -> [String] {
    let key = item.key
    let isService = key.itemClass == .genericPassword
    let host = isService ? key.service : key.server.name
    let place = ItemText.place(key)
    return [host, item.account, item.label, item.comment, item.realm]
      + (isService ? [] : [ItemText.shown(key.server), place])
  }
}

extension PickScreen {
  /// The screen of a terminal as it is now.
  fileprivate init(_ screen: FullScreen) {
    let size = screen.size
    self.init(columns: size.columns, rows: size.rows)
  }
}

extension FullScreen {
  /// Writes a secret of several lines, each from the first column.
  fileprivate func write(_ secret: Secret, withReturns: Bool) throws(VaultError) {
    try secret.withRawBytes { bytes throws(VaultError) in
      var start = 0
      for index in 0..<bytes.byteCount where Bytes.at(bytes, index) == UInt8(ascii: "\n") {
        try write(bytes.extracting(start..<index))
        try write("\r\n")
        start = index + 1
      }
      try write(bytes.extracting(start...))
    }
  }
}
