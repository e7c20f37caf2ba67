import Glibc
import Testing
import VaultModel
import VaultReports

@testable import VaultCommands

@Suite("RemedyText")
struct RemedyTextTests {
  /// All remedies without data.
  static let plain: [Remedy] = [
    .useLocalDisk, .openVault, .waitLonger, .initialize, .verify, .restore, .salvage,
    .restoreOrSalvage, .acceptRollback, .cloneReplica, .acceptVault, .diagnoseWithKey, .listSlots,
    .addRecoveryCode, .changePassphrase, .setKeyFile, .setHome, .setClock,
    .raiseLockedMemoryLimit, .raiseMemoryLimit,
  ]

  /// The words for remedies with data.
  static let worded: [(remedy: Remedy, words: String)] = [
    (.access(.makePrivate(path: "/f")), "chmod 700 /f"),
    (.access(.removeWriteAccess(path: "/f", from: .groupAndOthers)), "chmod go-w /f"),
    (.access(.removeWriteAccess(path: "/f", from: .others)), "chmod o-w /f"),
    (.access(.takeOwnership(path: "/f/v", of: .file)), "chmod 600 /f/v, and make it your own"),
    (.access(.takeOwnership(path: "/f", of: .folder)), "chmod 700 /f, and make it your own"),
    (
      .moveAside(path: "/f/v-wal", mayBeNeeded: false),
      "mv /f/v-wal /f/v-wal.aside, while no program has the vault open; then vaultctl verify"
    ),
    (
      .moveAside(path: "/v-journal", mayBeNeeded: true),
      "mv /v-journal /v-journal.aside, while no program has the vault open; then vaultctl verify,"
        + " and where that finds damage vaultctl restore FILE or vaultctl salvage OUT"
    ),
    (.removeFile(path: "/f/x", once: .nothingIsRunning), "rm /f/x, if no vaultctl is running"),
    (.removeFile(path: "/f/x", once: .notNeeded), "rm /f/x, once it is not needed"),
    (.removeFile(path: "/s/x", once: .writerIsKnown), "look for who can write there, then rm /s/x"),
    (.diagnoseWithBothKeys(missing: .passphrase), "the same with --passphrase-file FILE"),
    (.diagnoseWithBothKeys(missing: .keyFile), "the same with --key-file FILE"),
    (.removeSlot(id: 7), "vaultctl slot remove 7"),
  ]

  @Test("a remedy's words name its path or slot", arguments: worded)
  func words(_ row: (remedy: Remedy, words: String)) {
    #expect(RemedyText.text(for: row.remedy) == row.words)
  }

  /// The commands in the words for remedies of a path with a blank and a quote.
  static let quoted: [(remedy: Remedy, command: String)] = [
    (.access(.makePrivate(path: "/a b/it's")), "chmod 700 '/a b/it'\\''s'"),
    (.access(.removeWriteAccess(path: "/a b", from: .groupAndOthers)), "chmod go-w '/a b'"),
    (.access(.removeWriteAccess(path: "/a b", from: .others)), "chmod o-w '/a b'"),
    (.access(.takeOwnership(path: "/a b", of: .folder)), "chmod 700 '/a b',"),
    (.moveAside(path: "/a b/v-wal", mayBeNeeded: false), "mv '/a b/v-wal' '/a b/v-wal.aside',"),
    (.removeFile(path: "/a b/x", once: .nothingIsRunning), "rm '/a b/x',"),
    (.removeFile(path: "/a b/x", once: .notNeeded), "rm '/a b/x',"),
    (.removeFile(path: "/a b/x", once: .writerIsKnown), "rm '/a b/x'"),
  ]

  @Test("a path that is more than one word of the shell is quoted", arguments: quoted)
  func quoting(_ row: (remedy: Remedy, command: String)) {
    #expect(RemedyText.text(for: row.remedy).contains(row.command))
  }

  @Test("every remedy has words of its own, in one line without a trailing stop")
  func complete() {
    let texts = (Self.plain + Self.worded.map(\.remedy)).map(RemedyText.text)
    #expect(Set(texts).count == texts.count)
    #expect(texts.allSatisfy { !$0.isEmpty && !$0.contains("\n") && !$0.hasSuffix(".") })
  }
}

@Suite("Hint")
struct HintTests {
  @Test("the subject of an error decides on the hint, and its words do not")
  func subject() {
    let words = "/f/v-journal is another's; chmod 600 it, which belongs to nobody"
    let error = VaultError(.unsafePermissions, words)
    let vault = "/f/other"
    func hint(_ subject: VaultError.Subject?) -> String? {
      Hint.text(for: Failure(error: error.about(subject), paths: [vault]))
    }
    #expect(hint(nil) == "vaultctl doctor --vault /f/other")
    let file = hint(.access(.takeOwnership(path: "/f/v", of: .file)))
    #expect(file?.hasPrefix("chmod 600 /f/v") == true)
    let folder = hint(.access(.makePrivate(path: "/f")))
    #expect(folder?.hasPrefix("chmod 700 /f; or --trust-folder /f") == true)
    #expect(hint(.sideFile(of: "/f/v")) == "vaultctl doctor --vault /f/v")
  }

  @Test("a missing input has a hint only if it is the backup that restore was told")
  func backup() {
    let error = VaultError(.missingInput, "/f/backup")
    let restore = CommandTable.command(named: "restore")
    #expect(Hint.text(for: Failure(error: error, command: restore)) == nil)
    #expect(
      Hint.text(for: Failure(error: error.about(.backup), command: restore))?.contains("backup")
        == true)
    let salvage = CommandTable.command(named: "salvage")
    #expect(Hint.text(for: Failure(error: error.about(.backup), command: salvage)) == nil)
  }

  @Test("where files keep no mode, chmod is no hint")
  func modeless() {
    func hint(_ number: Int32) -> String? {
      Hint.text(
        for: Failure(error: VaultError(.unsafePermissions, "/f/v", underlying: .errno(number))))
    }
    #expect(hint(EACCES)?.hasPrefix("chmod 600") == true)
    #expect(hint(EOPNOTSUPP)?.hasPrefix("name a place on another file system") == true)
  }
}
