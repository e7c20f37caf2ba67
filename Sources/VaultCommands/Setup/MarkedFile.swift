import SecureMemory
import VaultModel

/// A file that a setup makes whole: its first line has a checksum of the others, so that one that
/// somebody changed is known and left.
struct MarkedFile {
  let file: SetupFile
  let text: String
  /// The start of the first line, before the checksum.
  private let mark: String

  init(path: String, setup: SetupProgram, text: String) {
    file = SetupFile(path: path)
    self.text = text
    mark = "# vaultctl setup \(setup.rawValue) --undo removes this file if unchanged: "
  }

  /// Returns whether it is there as it would be written now.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate`` if another file has its name.
  func isApplied() throws(VaultError) -> Bool {
    try present(or: .cannotCreate)?.isEqual(to: marked(text)) ?? false
  }

  /// Returns whether it is there, as it would be written now or for another vault.
  ///
  /// - Throws: As ``isApplied()``.
  func isPresent() throws(VaultError) -> Bool { try present(or: .cannotCreate) != nil }

  /// Returns the file as it was written, also for another vault; nil if there is none.
  ///
  /// - Throws: An error with `code` if another file has its name, or somebody changed it.
  fileprivate func present(or code: VaultError.Code) throws(VaultError) -> Secret? {
    guard let text = try file.read() else { return nil }
    let end = text.index(of: "\n").map { $0 + 1 } ?? text.count
    guard text.isEqual(to: marked(text.slice(end..<text.count).text)) else {
      throw VaultError(code, "\(file.path) is there and differs; it is left as it is")
    }
    return text
  }

  /// Returns a text with its first line; FNV-1a finds changes that nobody hides.
  fileprivate func marked(_ text: String) -> Secret {
    let checksum: UInt64 = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return Secret("\(mark)\(String(checksum, radix: 16))\n\(text)")
  }
}

/// A setup that is files, each made whole.
protocol FileSetup: Setup {
  var files: [MarkedFile] { get }
}

extension FileSetup {
  func isApplied() throws(VaultError) -> Bool {
    for file in files where try !file.isApplied() { return false }
    return true
  }

  /// Writes those that are missing, or that were written for another vault.
  func apply() throws(VaultError) -> [String] {
    var missing: [MarkedFile] = []
    for file in files where try !file.isApplied() { missing.append(file) }
    for file in missing { try file.file.replace(with: [file.marked(file.text)]) }
    return missing.map(\.file.path)
  }

  func undo() throws(VaultError) -> [String] {
    var made: [SetupFile] = []
    for file in files where try file.present(or: .conflict) != nil { made.append(file.file) }
    for file in made { try file.remove(leaving: "") }
    return made.map(\.path)
  }
}
