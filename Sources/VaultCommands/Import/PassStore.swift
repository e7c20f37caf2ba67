import Glibc
import Interchange
import SecureMemory
import VaultModel

/// Reads a `pass` store: a folder of files that gpg decrypts, one process for each.
///
/// The decrypted text goes through a pipe into guarded memory, never into a file or an argument.
/// All files are decrypted before the vault is locked, because gpg may prompt for a passphrase.
struct PassStore: EntryReader {
  private let entries: [Entry]
  private var index = 0

  /// Reads the store.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if a folder cannot be read;
  ///   ``VaultError/Code/invalidData`` if the folder is not a store;
  ///   ``VaultError/Code/unavailable`` if gpg cannot be run. A file that it cannot decrypt is a
  ///   rejected entry.
  init(
    _ folder: String, _ options: ReadingOptions, _ invocation: Invocation
  ) throws(VaultError) {
    let folder = folder.hasSuffix("/") ? folder : folder + "/"
    var (paths, hasMark) = ([String](), false)
    try Self.list(folder, below: "", depth: 0, into: &paths, hasMark: &hasMark)
    guard hasMark || !paths.isEmpty else {
      throw VaultError(.invalidData, "the folder is no pass store: it has neither .gpg-id nor .gpg")
    }
    let gpg = GnuPG(mayPrompt: invocation.mayPrompt)
    let progress = Progress("decrypting", isQuiet: invocation.isQuiet)
    entries = try paths.sorted().enumerated().map { (index, path) throws(VaultError) in
      defer { progress.update(Double(index + 1) / Double(paths.count)) }
      let name = String(path.dropLast(".gpg".count))
      do throws(VaultError) {
        return try PassFile.entry(path: name, ByteSource(gpg.decrypt(folder + path)), options)
      } catch {
        guard [.invalidData, .tooLarge].contains(error.code) else { throw error }
        return Entry(.file(name), rejectedBy: error)
      }
    }
  }

  /// The share of the files that were imported.
  var share: Double { entries.isEmpty ? 1 : Double(index) / Double(entries.count) }

  mutating func next() throws(VaultError) -> Entry? {
    guard index < entries.count else { return nil }
    index += 1
    return entries[index - 1]
  }

  private static let deepest = 64

  /// Adds the files below a folder, except links and names that begin with a dot.
  private static func list(
    _ root: String, below: String, depth: Int, into paths: inout [String], hasMark: inout Bool
  ) throws(VaultError) {
    guard depth < deepest else {
      throw VaultError(.invalidData, "the store has folders more than \(deepest) deep")
    }
    // The path is copied into a string that ends with NUL for the call.
    guard let stream = unsafe opendir(root + below) else {
      throw VaultError(.missingInput, "a folder of the store", underlying: .errno(errno))
    }
    defer { unsafe closedir(stream) }
    // The entry is the stream's own until the next call, and its name ends with NUL.
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let name else {
        throw VaultError(.invalidData, "a file of the store has a name that is not UTF-8")
      }
      if name == ".gpg-id" { hasMark = true }
      guard !name.hasPrefix(".") else { continue }
      var status = stat()
      // As above, and the structure is ours.
      guard unsafe lstat(root + below + name, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        try list(
          root, below: below + name + "/", depth: depth + 1, into: &paths, hasMark: &hasMark)
      case S_IFREG where name.hasSuffix(".gpg") && name != ".gpg": paths.append(below + name)
      default: continue
      }
    }
  }
}
