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
    var found = Found()
    try Self.list(folder, below: "", depth: 0, into: &found)
    let paths = found.paths
    guard found.hasMark || !paths.isEmpty else {
      throw VaultError(.invalidData, "the folder is no pass store: it has neither .gpg-id nor .gpg")
    }
    let gpg = GnuPG(mayPrompt: invocation.mayPrompt)
    let progress = Progress("decrypting", isQuiet: invocation.isQuiet)
    let others = found.others.sorted { $0.place.description < $1.place.description }
    entries =
      try others
      + paths.sorted().enumerated().map { (index, path) throws(VaultError) in
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

  /// The contents of the folders of a store.
  private struct Found {
    var paths: [String] = []
    /// The paths that are no file of gpg, or cannot be read.
    var others: [Entry] = []
    var hasMark = false

    mutating func add(_ path: String, _ content: Entry.Content) {
      others.append(Entry(.file(path), content))
    }
  }

  /// The names of what pass, its extensions and Git have in a store.
  private static let ofPrograms: Set<String> = [
    ".git", ".gitattributes", ".gitignore", ".gpg-id", ".gpg-id.sig", ".extensions",
    ".public-keys",
  ]

  /// Adds the files below a folder.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if the store's own folder cannot be read.
  private static func list(
    _ root: String, below: String, depth: Int, into found: inout Found
  ) throws(VaultError) {
    guard depth < deepest else {
      return found.add(below, .rejected("folders are more than \(deepest) deep"))
    }
    // The path is copied into a string that ends with NUL for the call.
    guard let stream = unsafe opendir(root + below) else {
      guard !below.isEmpty else {
        throw VaultError(.missingInput, "the folder of the store", underlying: .errno(errno))
      }
      return found.add(below, .rejected("the folder cannot be read"))
    }
    defer { unsafe closedir(stream) }
    // The entry is the stream's own until the next call, and its name ends with NUL.
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let name else {
        found.add(below, .rejected("a file in it has a name that is not UTF-8"))
        continue
      }
      if name == ".gpg-id" { found.hasMark = true }
      guard !([".", ".."].contains(name) || ofPrograms.contains(name)) else { continue }
      let path = below + name
      var status = stat()
      // As above, and the structure is ours.
      guard unsafe lstat(root + path, &status) == 0 else {
        found.add(path, .rejected("it cannot be read"))
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try list(root, below: path + "/", depth: depth + 1, into: &found)
      case S_IFREG where name.hasSuffix(".gpg"): found.paths.append(path)
      case S_IFLNK: found.add(path, .leftOut(.link))
      default: found.add(path, .leftOut(.notAnEntry))
      }
    }
  }
}
