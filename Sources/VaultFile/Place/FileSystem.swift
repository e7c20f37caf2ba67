import CVaultSystem

/// The kind of the file system that a folder is on.
///
/// Source: statfs(2).
package enum FileSystem {
  /// Returns whether it is on another machine, or may be; there, SQLite's locks and the header's
  /// first bytes are not to be trusted.
  package static func isOnNetwork(_ folder: String) -> Bool {
    switch kind(of: folder) {
    // NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Coda.
    case 0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F,
      0x7375_7245, nil:
      true
    default: false
    }
  }

  /// Returns whether it is in this machine's memory, and gone with the power.
  package static func isInMemory(_ folder: String) -> Bool {
    // tmpfs, ramfs.
    [0x0102_1994, 0x8584_58F6].contains(kind(of: folder))
  }

  private static func kind(of folder: String) -> UInt32? {
    var kind: UInt32 = 0
    // The path is a C string for the call, and `kind` is written whole.
    return unsafe vault_file_system_kind(folder, &kind) == 0 ? kind : nil
  }
}
