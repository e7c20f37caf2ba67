import CVaultSQLite
import Glibc
import SecureMemory
package import VaultModel

/// A file in the making beside its target: `.<name>.<13 letters and digits>.new`, or a backup,
/// `.<name>.backup-<13 letters and digits>.new`.
///
/// It is removed when it is released, unless it was renamed by then, and by a signal that ends a
/// program. Its process holds a lock on it while it exists, which the kernel releases however the
/// process ends. So the next program that makes a file in the folder identifies abandoned drafts,
/// and removes them.
package final class Draft {
  /// The kind of a file, which decides its name and the file systems on which it may be.
  package enum Kind: Sendable {
    /// A vault or a key file, which only its owner may read.
    case owned
    /// A file without secrets in clear, which may be where files have neither an owner nor a mode.
    case anywhere
    /// A backup, which is sealed, and so may be anywhere.
    case backup
  }

  package let path: VaultPath
  private let hold: DraftHold
  // Forgotten after the file is gone.
  private let note: DraftNote

  /// Creates an empty file for a target, after removing abandoned ones in its folder.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``; ``VaultError/Code/unsafePermissions`` where the
  ///   file system gives it another mode or owner, unless it may be anywhere.
  package init(for target: VaultPath, _ kind: Kind = .owned) throws(VaultError) {
    DraftName.removeAbandoned(for: target)
    // Another process looking for drafts may lock or remove a new one first.
    for _ in 0..<100 {
      let path = try VaultPath("\(target.folder)/\(DraftName.new(for: target, kind))")
      let note = DraftNote(path.path)
      let (descriptor, file) = try Posix.openNewFile(path.path)
      if let hold = DraftHold(descriptor, path.path, file.identity, isNew: true) {
        (self.path, self.hold, self.note) = (path, hold, note)
        guard kind != .owned || file.isOfUserAlone else { throw Self.hasNoModes(target.folder) }
        return
      }
      unsafe unlink(path.path)
    }
    throw VaultError(.busy, "other processes take every new file in \(target.folder)")
  }

  deinit { hold.remove(path.path) }

  /// Writes the contents of a file that SQLite does not have open, and makes them durable.
  ///
  /// - Parameter body: Gets a descriptor to write to.
  /// - Throws: ``VaultError/Code/cannotCreate``; the errors of `body`.
  package func fill(_ body: (Int32) throws(VaultError) -> Void) throws(VaultError) {
    let descriptor = unsafe open(path.path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Posix.failure(path.path, .cannotCreate) }
    defer { close(descriptor) }
    try body(descriptor)
    guard fsync(descriptor) == 0 else { throw Posix.failure(path.path, .cannotCreate) }
  }

  /// Gives the file its name, and replaces another.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  package func replace(_ target: String) throws(VaultError) {
    guard unsafe rename(path.path, target) == 0 else { throw Posix.failure(target, .cannotCreate) }
  }

  /// Lets the signals that end a program remove its drafts first.
  ///
  /// For programs only, before their first thread: a library must not change its host's signals.
  package static func endWithSignals() { vault_drafts_end_with_signals() }

  private static func hasNoModes(_ folder: String) -> VaultError {
    VaultError(
      .unsafePermissions,
      "others could use files in \(folder): its file system keeps neither owner nor mode",
      underlying: .errno(EOPNOTSUPP))
  }
}

/// The note of a draft's name, for signals.
private final class DraftNote {
  private let number: Int32

  // The path is a C string for the call, which copies it.
  init(_ path: String) { number = unsafe vault_draft_note(path) }

  deinit { vault_draft_forget(number) }
}

/// The names of drafts, and the drafts that nobody makes any more.
package enum DraftName {
  private static let suffix = ".new"
  private static let marks = [".backup-", "."]
  private static let numberLength = 13

  static func new(for target: VaultPath, _ kind: Draft.Kind) -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 36)
    let zeros = String(repeating: "0", count: numberLength - digits.count)
    return ".\(target.name)\(kind == .backup ? marks[0] : marks[1])\(zeros)\(digits)\(suffix)"
  }

  /// Returns the name of the file for which a draft is; nil if it has not the name of one.
  package static func target(of name: String) -> Substring? {
    guard name.hasPrefix("."), name.hasSuffix(suffix) else { return nil }
    let rest = name.dropFirst().dropLast(suffix.count)
    let (number, start) = (rest.suffix(numberLength), rest.dropLast(numberLength))
    guard number.utf8.count == numberLength, number.utf8.allSatisfy(isDigit),
      let mark = marks.first(where: start.hasSuffix), start.count > mark.count
    else { return nil }
    return start.dropLast(mark.count)
  }

  /// Returns whether a byte is a digit of base 36.
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// Removes abandoned drafts in a target's folder, with their journals: its own, and others that
  /// begin as a vault does.
  ///
  /// Only regular files of this user are touched. Files that cannot be checked or removed are left,
  /// and so is everything in a folder that cannot be listed; that prevents no new file.
  static func removeAbandoned(for target: VaultPath) {
    let names: [String]
    do throws(VaultError) {
      names = try Posix.names(in: target.folder)
    } catch {
      return
    }
    for name in names {
      guard let own = Self.target(of: name) else { continue }
      let path = "\(target.folder)/\(name)"
      DraftHold(abandoned: path, ifBeginsAsVault: own != target.name)?.remove(path)
    }
  }

  /// Returns whether a file, named as a draft, is not one that a living process makes.
  package static func isAbandoned(_ path: String) -> Bool {
    DraftHold(abandoned: path, ifBeginsAsVault: false) != nil
  }
}
