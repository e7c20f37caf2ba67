import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultStore
import VaultModel

/// Vaults that are only read: who may own them, who may use them, and that nothing is done to them.
@Suite struct ReadOnlyVaultTests {
  /// A team's vault in a folder of its own, and the key file of a user who may read it.
  private struct Team {
    let folder: TemporaryFolder
    var path: String { folder.file("team/v") }
    var key: KeySource { .keyFile(folder.file("key")) }

    init() throws {
      StateFolder.useOwn()
      folder = try TemporaryFolder()
      try KeyFile.create(at: folder.file("key"))
      let vault = try Vault.create(path: folder.file("team/v"), key: .keyFile(folder.file("key")))
      try vault.add(Self.item("ann"))
      try vault.close()
      try File.setMode(0o750, of: folder.file("team"))
      try File.setMode(0o640, of: path)
    }

    static func item(_ account: String) throws -> Item {
      Item(
        space: try ProtectionSpace(host: "h"), account: account, secret: Secret("one"))
    }

    /// Returns the code of opening and reading it, or nil if that succeeds.
    func outcome(owner: String? = nil, isReadOnly: Bool = true) -> VaultError.Code? {
      do throws(VaultError) {
        let listed = ListedVault(path, isReadOnly: isReadOnly, owner: owner)
        let list = try VaultList.open([listed], key: key)
        let found = try list.find(ItemQuery(), withSecrets: true)
        try found.vault.close()
        return found.item.secret == nil ? .internalError : nil
      } catch {
        return error.code
      }
    }

    /// Returns everything that can be seen of the folder: names, sizes, modes, owners and times.
    func look() throws -> [String] {
      var seen: [String] = []
      for name in try Posix.names(in: folder.file("team")).sorted() where name != ".." {
        var status = stat()
        // The structure is ours.
        guard unsafe lstat(folder.file("team/\(name)"), &status) == 0 else { continue }
        seen.append(
          "\(name) \(status.st_ino) \(status.st_size) \(status.st_mode) \(status.st_uid)"
            + " \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
            + " \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)")
      }
      return seen
    }
  }

  @Test(
    arguments: [
      (0o600, nil), (0o400, nil), (0o640, nil), (0o440, nil),
      (0o644, VaultError.Code.unsafePermissions), (0o660, .unsafePermissions),
      (0o620, .unsafePermissions), (0o602, .unsafePermissions), (0o650, .unsafePermissions),
      (0o641, .unsafePermissions),
    ] as [(UInt32, VaultError.Code?)])
  func `A group may read the file, and nobody else but the owner may use it`(
    mode: UInt32, code: VaultError.Code?
  ) throws {
    let team = try Team()
    try File.setMode(mode, of: team.path)
    #expect(team.outcome() == code)
    // The user's own vaults are nobody else's.
    #expect(team.outcome(isReadOnly: false) == (mode & 0o077 == 0 ? nil : .unsafePermissions))
  }

  @Test(
    arguments: [
      (0o755, nil), (0o555, nil), (0o775, VaultError.Code.unsafePermissions),
      (0o757, .unsafePermissions), (0o1777, .unsafePermissions),
    ] as [(UInt32, VaultError.Code?)])
  func `A folder that others can write is refused`(mode: UInt32, code: VaultError.Code?) throws {
    let team = try Team()
    try File.setMode(mode, of: team.folder.file("team"))
    #expect(team.outcome() == code)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `It may belong to root and to the named user, and to nobody else`() throws {
    let team = try Team()
    for name in ["team", "team/v"] { try File.setOwner(65534, of: team.folder.file(name)) }
    #expect(team.outcome() == .unsafePermissions)
    #expect(team.outcome(owner: "1") == .unsafePermissions)
    #expect(team.outcome(owner: "daemon") == .unsafePermissions)
    #expect(team.outcome(owner: "65534") == nil)
    #expect(team.outcome(owner: "nobody") == nil)
    #expect(team.outcome(owner: "nobody at all") == .configuration)
    #expect(team.outcome(isReadOnly: false) == .unsafePermissions)
    // The owner of the folder can put another file there.
    try File.setOwner(0, of: team.path)
    #expect(team.outcome() == .unsafePermissions)
    #expect(team.outcome(owner: "nobody") == nil)
  }

  @Test func `A link and a second name are refused, as for one's own`() throws {
    let team = try Team()
    try File.makeHardLink(team.folder.file("team/second"), to: team.path)
    #expect(team.outcome() == .unsafePermissions)
    try File.remove(team.folder.file("team/second"))
    try File.move(team.path, to: team.folder.file("team/target"))
    try File.makeSymbolicLink(team.path, to: "target")
    #expect(team.outcome() == .unsafePermissions)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `A member of the group reads it without any permission to write, and changes nothing`() async
  {
    await #expect(processExitsWith: .success) {
      let team = try Team()
      // Another user, who owns nothing but the key file and is in the group of the vault.
      try File.setOwner(65534, of: team.folder.file("key"))
      try File.setMode(0o711, of: team.folder.path)
      for name in ["team", "team/v"] {
        try #require(unsafe chown(team.folder.file(name), 0, 65533) == 0)
      }
      // A state folder that cannot be written must not matter either.
      unsafe unsetenv("XDG_STATE_HOME")
      unsafe unsetenv("HOME")
      let before = try team.look()
      var group: gid_t = 65533
      try #require(unsafe setgroups(1, &group) == 0)
      try #require(setegid(65534) == 0 && seteuid(65534) == 0)
      #expect(team.outcome(isReadOnly: false) == .unsafePermissions)
      #expect(team.outcome() == nil)
      let list = try VaultList.open([ListedVault(team.path, isReadOnly: true)], key: team.key)
      #expect(throws: VaultError(.readOnly, "")) {
        try list.vaults[0].add(Team.item("bob"))
      }
      #expect(try list.vaults[0].maintenance.verify().isClean)
      #expect(try team.look() == before)
      // Its descriptors cannot write.
      #expect(Self.modes(ofDescriptorsOf: team.path) == [O_RDONLY])
      // Without the group there is nothing to read.
      try #require(seteuid(0) == 0)
      group = 65532
      try #require(unsafe setgroups(1, &group) == 0)
      try #require(seteuid(65534) == 0)
      #expect(team.outcome() != nil)
    }
  }

  /// Returns the access modes of this process's descriptors of a file.
  private static func modes(ofDescriptorsOf path: String) -> [Int32] {
    let identity = FileStatus(at: path)?.identity
    return (0..<256).filter { FileStatus(of: $0)?.identity == identity }
      .map { fcntl($0, F_GETFL) & O_ACCMODE }
  }

  @Test(arguments: [false, true])
  func `A journal that a dead writer left is an error that says so, and stays`(isTorn: Bool) throws
  {
    let team = try Team()
    let journal = team.path + "-journal"
    // As SQLite leaves it: a header that promises pages.
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    _ = try team.folder.write(
      magic + [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 4, 0, 0, 2, 0, 0, 0, 0x10, 0]
        + [UInt8](repeating: 0, count: 484), as: "team/v-journal")
    if isTorn {
      var bytes = try team.folder.bytes(team.path)
      for index in 0..<16 { bytes[index] = 0 }
      _ = try team.folder.write(bytes, as: "team/v")
    }
    let before = try team.look()
    let error = #expect(throws: VaultError(.readOnly, "")) {
      _ = try VaultList.open([ListedVault(team.path, isReadOnly: true)], key: team.key)
    }
    #expect(error?.context.contains("a write was cut short") == true)
    #expect(try team.look() == before)
    try File.remove(journal)
    #expect(team.outcome() == (isTorn ? .damaged : nil))
  }

  @Test func `An empty journal, and one that cannot be read, are not replayed or removed`() throws {
    let team = try Team()
    _ = try team.folder.write([], as: "team/v-journal")
    let before = try team.look()
    #expect(team.outcome() == nil)
    #expect(try team.look() == before)
    try File.remove(team.path + "-journal")
    try File.makePipe(team.path + "-journal")
    #expect(team.outcome() == .unsafePermissions)
    try File.remove(team.path + "-journal")
    _ = try team.folder.write([], as: "team/v-wal")
    #expect(team.outcome() == .unsafePermissions)
  }

  @Test func `An older copy of it is rolled back, as this machine remembers it`() throws {
    let team = try Team()
    let old = try team.folder.bytes(team.path)
    try File.setMode(0o600, of: team.path)
    let writer = try Vault.open(path: team.path, key: team.key)
    try writer.add(Team.item("bob"))
    try writer.close()
    #expect(team.outcome() == nil)
    _ = try team.folder.write(old, as: "team/v")
    #expect(team.outcome() == .rolledBack)
  }

  @Test func `It follows what its owner writes, and is never opened in both ways at once`() throws {
    let team = try Team()
    try File.setMode(0o600, of: team.path)
    let listed = ListedVault(team.path, isReadOnly: true)
    let reader = try VaultList.open([listed], key: team.key).vaults[0]
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try Vault.open(path: team.path, key: team.key)
    }
    #expect(try reader.count(ItemQuery()) == 1)
    try reader.close()
    let writer = try Vault.open(path: team.path, key: team.key)
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try VaultList.open([listed], key: team.key)
    }
    try writer.add(Team.item("bob"))
    try writer.close()
    #expect(try VaultList.open([listed], key: team.key).findAll(ItemQuery()).count == 2)
  }
}
