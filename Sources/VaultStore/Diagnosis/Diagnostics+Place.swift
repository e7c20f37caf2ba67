import VaultReports
import CVaultSQLite
import Glibc
import VaultModel

/// Checks of the folder, the file, and the files beside it.
extension Diagnostics {
  private static func mode(_ information: FileStatus) -> String {
    let bits = String(information.mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - bits.count)) + bits
  }

  mutating func examineFolder(of place: VaultPath) {
    do throws(VaultError) {
      try place.checkFolder(role.permissions)
      let information = try Posix.information(place.folder)
      if role.isOnlyRead {
        add(.folder, .ok, "\(place.folder) can be written by its owner alone")
      } else if let information, information.mode & 0o055 != 0 {
        add(
          .folder, .note,
          "\(place.folder) has mode \(Self.mode(information)): others see its names",
          remedy: .access(.makePrivate(path: place.folder)))
      } else {
        add(.folder, .ok, "\(place.folder) is this user's alone")
      }
      try examineFolders(above: place.folder)
      for folder in FolderCheck.shared(above: place.given) {
        if folder == place.folder {
          add(
            .folder, .note, "\(folder) can be written by others, and is trusted by name",
            remedy: .access(.makePrivate(path: folder)))
        } else if !place.folder.hasPrefix(folder == "/" ? folder : folder + "/") {
          // Those above the file itself have been checked.
          add(
            .folder, .warning,
            "\(folder), through which a symbolic link leads to it, can be changed by others: they could put another"
              + " link there",
            remedy: .access(.removeWriteAccess(path: folder, from: .groupAndOthers)))
        }
      }
    } catch {
      add(.folder, error, remedy: .access(.takeOwnership(path: place.folder, of: .folder)))
    }
    if FileSystem.isOnNetwork(place.folder) {
      add(
        .fileSystem, .warning,
        "\(place.folder) is on a network: locks and flushing depend on its server",
        remedy: .useLocalDisk)
    } else {
      add(.fileSystem, .ok, "\(place.folder) is on a local file system")
    }
    examineSpace(in: place)
  }

  /// Checks the folders above: a user who can rename one can replace it.
  private mutating func examineFolders(above folder: String) throws(VaultError) {
    var path = folder
    while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      path = String(path[..<slash])
      guard let information = try Posix.information(path) else { continue }
      let isOwn = information.owner == geteuid() || information.owner == 0
      let isShared = information.mode & 0o022 != 0 && !information.isSticky
      guard isShared || !isOwn else { continue }
      add(
        .folder, .warning,
        "\(path), above it, can be changed by others: they could put another there",
        remedy: .access(.removeWriteAccess(path: path, from: .groupAndOthers)))
    }
  }

  private mutating func examineSpace(in place: VaultPath) {
    var information = statvfs()
    // The structure is ours, and the path a C string for the call.
    guard unsafe statvfs(place.folder, &information) == 0 else { return }
    if information.f_flag & UInt(ST_RDONLY) != 0 {
      return add(.space, .note, "\(place.folder) is read-only: the vault can be read")
    }
    let free = UInt64(information.f_bavail) * UInt64(information.f_frsize)
    do throws(VaultError) {
      let size = UInt64(try Posix.information(place.path)?.byteCount ?? 0)
      let text = "\(free >> 20) MiB are free"
      guard free > 2 * size + 1 << 20 else {
        return add(
          .space, .warning, "\(text): a write's journal, a backup or compact may find no room")
      }
      add(.space, .ok, text)
    } catch {
      add(.space, error)
    }
  }

  /// Checks the file; returns false if it must not be opened.
  mutating func examineFile(_ place: VaultPath) -> Bool {
    do throws(VaultError) {
      _ = try place.checkFile(role.permissions)
    } catch {
      add(.file, error, remedy: error.code == .vaultNotFound ? .initialize : nil)
      return false
    }
    guard !role.isOnlyRead else {
      add(.file, .ok, "\(place.path) is only read, and nobody but its owner can write it")
      return isSafe(around: place)
    }
    guard unsafe access(place.path, W_OK) == 0, unsafe access(place.folder, W_OK) == 0 else {
      add(.file, .note, "\(place.path) can be read, and not written")
      return isSafe(around: place)
    }
    add(.file, .ok, "\(place.path) is this user's alone, with one name")
    return isSafe(around: place)
  }

  /// Returns whether the surroundings of a good file allow opening it; other checks report the
  /// reasons if not.
  private func isSafe(around place: VaultPath) -> Bool {
    do throws(VaultError) {
      _ = try place.checkExisting(role.permissions)
      return true
    } catch {
      return false
    }
  }

  // MARK: Side files

  /// Checks the side files; returns false if one of them keeps every command from the vault.
  mutating func examineSideFiles(of place: VaultPath, canOpen: Bool) -> Bool {
    do throws(VaultError) {
      var faults = try SideFiles(of: place.path, isOnlyRead: role.isOnlyRead).faults()
      if canOpen, faults.isEmpty, !role.isOnlyRead, try place.hasJournal() {
        faults = try Self.faultsBesideIdle(place)
      }
      for fault in faults {
        add(.sideFiles, fault.error, remedy: Self.remedy(for: fault))
      }
      if faults.isEmpty { add(.sideFiles, .ok, "no files but a vault's own are beside it") }
      return faults.isEmpty
    } catch {
      add(.sideFiles, error)
      return false
    }
  }

  /// Returns the faults of the journal if nobody is writing it: opening would then refuse to replay
  /// it.
  private static func faultsBesideIdle(_ place: VaultPath) throws(VaultError) -> [SideFiles.Fault] {
    let connection = try Connection(
      path: place.path, busyWait: BusyWait(timeout: .zero), isReadOnly: true, chain: .current)
    let (size, header) = (try connection.byteCount(), try connection.header())
    let faults = try SideFiles(of: place.path).faults(besideIdle: (size, header))
    let (isReserved, sizeNow) = (try connection.isReserved(), try connection.byteCount())
    let headerNow = try connection.header()
    return isReserved || size != sizeNow || header != headerNow ? [] : faults
  }

  /// Returns the remedy for a fault; no file is deleted, because a WAL or an interrupted write may
  /// still be needed.
  private static func remedy(for fault: SideFiles.Fault) -> Remedy {
    .moveAside(path: fault.path, mayBeNeeded: fault.error.code == .damaged)
  }

  /// Checks the journal; returns false if the vault must not be opened, because that would write to
  /// it.
  mutating func examineJournal(of place: VaultPath) -> Bool {
    do throws(VaultError) {
      guard let information = try Posix.information(place.path + "-journal") else {
        add(.journal, .ok, "there is none: no program is writing, and no write was interrupted")
        return true
      }
      guard information.byteCount > 0, try Self.isHot(place.path + "-journal") else {
        add(
          .journal, .note,
          "an empty journal was left by a writer that ended early; the next one removes it")
        return true
      }
      add(
        .journal, .warning,
        "a writer is at work, or the last one died: then the next opening brings back the state before it",
        remedy: role.isOnlyRead ? nil : .openVault)
      return false
    } catch {
      add(.journal, error)
      return false
    }
  }

  /// Returns whether a journal has a header, which SQLite writes once everything before it is on
  /// disk.
  ///
  /// Source: <https://sqlite.org/fileformat2.html#the_rollback_journal>.
  private static func isHot(_ path: String) throws(VaultError) -> Bool {
    // A descriptor of the journal is harmless: SQLite's locks are on the vault itself.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      // A commit has just removed the journal.
      if errno == ENOENT { return false }
      throw Posix.failure(path)
    }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    // One byte is read into one byte.
    return unsafe read(descriptor, &byte, 1) == 1 && byte != 0
  }

  /// Reports temporary files left by a killed process, and files kept by a restore.
  mutating func examineLeftovers(beside place: VaultPath) {
    guard let folder = unsafe opendir(place.folder) else { return }
    // The stream is open until the end of this function.
    defer { unsafe closedir(folder) }
    let name = String(place.path.split(separator: "/").last ?? "")
    var (left, kept): ([String], [String]) = ([], [])
    while let entry = unsafe readdir(folder) {
      // The name is a C string within the entry, copied here.
      let other = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      let isDraft = DraftName.target(of: other) != nil
      if isDraft
        ? DraftName.isAbandoned("\(place.folder)/\(other)")
        : other.hasPrefix(".\(name).") && other.hasSuffix(".new")
      {
        left.append(other)
      }
      if other.hasPrefix("\(name).replaced-") { kept.append(other) }
    }
    if left.isEmpty, kept.isEmpty {
      return add(.leftovers, .ok, "nothing is left beside the vault")
    }
    for name in left.sorted() {
      add(
        .leftovers, .warning, "\(name) was left by a program that was killed while it made it",
        remedy: .removeFile(path: "\(place.folder)/\(name)", once: .nothingIsRunning))
    }
    for name in kept.sorted() {
      add(
        .leftovers, .note,
        "\(name) is the vault as it was before a restore: its keys still open it",
        remedy: .removeFile(path: "\(place.folder)/\(name)", once: .notNeeded))
    }
  }
}
