import VaultAdministration
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// A vault of one's own, and a team's, which one key file opens.
struct TeamFixture {
  let own: Fixture
  let team: String

  var listed: [ListedVault] { [ListedVault(own.path), ListedVault(team, isReadOnly: true)] }

  /// Creates both vaults.
  ///
  /// - Parameter fill: Stores the items of the team.
  /// - Throws: Any error of `fill` and of making the vaults.
  init(_ fill: (Vault) throws -> Void) throws {
    own = try Fixture()
    team = own.folder.file("vault/team.vault")
    let vault = try Vault.create(path: team, key: own.key)
    try fill(vault)
    try vault.close()
  }

  func list() throws -> VaultList { try VaultList.open(listed, key: own.key) }
}

@Suite("A list of vaults")
struct ListTests {
  private func secrets(_ found: [VaultList.Found]) -> [String] {
    found.map { "\($0.item.account) \($0.vault.path?.split(separator: "/").last ?? "")" }
  }

  @Test("answers with the first vault that has a match")
  func first() throws {
    let fixture = try TeamFixture { team in
      try team.add(item("ann", "team"))
      try team.add(item("bob", "team"))
      try team.add(
        Item(service: "ci", account: "bot", secret: Secret("t")))
    }
    try fixture.own.vault.add(item("ann", "own"))
    let list = try fixture.list()
    #expect(list.vaults.map(\.path) == [fixture.own.path, fixture.team])
    var query = ItemQuery(try space())
    query.account = .equals("ann")
    let ann = try list.find(query, withSecrets: true)
    #expect(ann.item.secret?.isEqual(to: Secret("own")) == true)
    #expect(ann.vault.path == fixture.own.path)
    query.account = .equals("bob")
    let bob = try list.findUnique(query, withSecrets: true)
    #expect(bob.item.secret?.isEqual(to: Secret("team")) == true)
    #expect(bob.vault.path == fixture.team)
    // Two of one rank in different vaults are not ambiguous; in one vault they are.
    #expect(try list.findUnique(ItemQuery(try space())).item.account == "ann")
    expect(.ambiguous) { _ = try bob.vault.findUnique(ItemQuery(try space())) }
    #expect(
      try secrets(list.findAll(ItemQuery())) == [
        "ann own.vault", "ann team.vault", "bob team.vault",
      ])
    query = ItemQuery()
    query.limit = 2
    #expect(try secrets(list.findAll(query)) == ["ann own.vault", "ann team.vault"])
    #expect(try list.item(bob.item.id).vault.path == fixture.team)
    let generic = try list.find(ItemQuery(itemClass: .genericPassword), withSecrets: true)
    #expect(generic.item.account == "bot" && generic.vault.path == fixture.team)
    #expect(try list.findUnique(ItemQuery(itemClass: .genericPassword)).item.service == "ci")
    #expect(try list.findAll(ItemQuery(itemClass: .genericPassword)).count == 1)
    #expect(try list.item(generic.item.id).item.account == "bot")
    query.account = .equals("eve")
    expect(.itemNotFound) { _ = try list.find(query) }
  }

  @Test("has one credential for each user of a space, that of the first vault")
  func credentials() throws {
    let fixture = try TeamFixture { team in
      try team.set(credential("ann", "team"), for: space())
      try team.set(credential("bob", "team"), for: space())
      try team.set(credential("bob", "only"), for: space("team.example.com"))
    }
    try fixture.own.vault.set(credential("ann", "own"), for: space())
    let list = try fixture.list()
    #expect(
      try list.credentials(for: space()).map(CredentialValues.init) == [
        CredentialValues("ann", "own"), CredentialValues("bob", "team"),
      ])
    #expect(
      try list.defaultCredential(for: space()).map(CredentialValues.init)
        == CredentialValues("ann", "own"))
    let team = try space("team.example.com")
    #expect(
      try list.defaultCredential(for: team).map(CredentialValues.init)
        == CredentialValues("bob", "only"))
    #expect(try list.defaultCredential(for: space("none.example.com")) == nil)
    #expect(try list.credentials(for: space("none.example.com")).isEmpty)
    // The first vault that has any decides, even if it does not know which.
    try list.defaultVault.set(credential("eve", "own"), for: space())
    #expect(try list.defaultCredential(for: space()) == nil)
  }

  @Test("passes over what has expired, and says so if nothing else matches")
  func expired() throws {
    let fixture = try TeamFixture { team in try team.add(item("bob", "team")) }
    var old = try item("ann", "own")
    old.expires = Timestamp(milliseconds: 1)
    try fixture.own.vault.add(old)
    let list = try fixture.list()
    var query = ItemQuery(try space())
    #expect(try list.find(query).item.account == "bob")
    #expect(try list.credentials(for: space()).map(\.user) == ["bob"])
    #expect(try list.defaultCredential(for: space())?.user == "bob")
    query.account = .equals("ann")
    expect(.expired) { _ = try list.find(query) }
    let other = try TeamFixture { _ in }
    try other.own.vault.add(old)
    expect(.expired) { _ = try other.list().credentials(for: space()) }
    expect(.expired) { _ = try other.list().defaultCredential(for: space()) }
  }

  @Test("is written in the default vault; an item of a read-only one is not changed")
  func writing() throws {
    let fixture = try TeamFixture { team in try team.add(item("bob", "team")) }
    let list = try VaultList.open(fixture.listed.reversed(), key: fixture.own.key)
    #expect(try list.defaultVault.path == fixture.own.path)
    try list.defaultVault.add(item("ann", "own"))
    let bob = try list.find(ItemQuery(try space()))
    #expect(bob.item.account == "bob")
    for change in [
      { () throws -> Void in try bob.vault.modify(bob.item, [.comment("x")]) },
      { try bob.vault.remove(bob.item) },
      { try bob.vault.add(item("eve")) },
      { _ = try bob.vault.maintenance.compact() },
      { try bob.vault.keys.rename(id: 1, to: "x") },
      { try bob.vault.trash.setDays(3) },
    ] {
      let error = #expect(throws: VaultError(.readOnly, "")) { try change() }
      #expect(error?.context == "\(fixture.team) is listed as read-only")
    }
    // A session is in memory, whatever the file is.
    try bob.vault.set(credential("bob", "session", .session), for: space())
    #expect(try list.credentials(for: space()).first?.secret.isEqual(to: Secret("session")) == true)
    let readOnly = try VaultList.open([fixture.listed[1]], key: fixture.own.key)
    let error = #expect(throws: VaultError(.readOnly, "")) { _ = try readOnly.defaultVault }
    #expect(error?.context.contains(fixture.team) == true)
  }

  @Test("has no vault that cannot be opened: the error names it")
  func unreadable() throws {
    let fixture = try TeamFixture { _ in }
    let other = try Fixture()
    let file = try fixture.own.folder.write(Array("no vault".utf8), as: "vault/text")
    for (vault, code) in [
      (ListedVault(fixture.own.folder.file("vault/none")), VaultError.Code.vaultNotFound),
      (ListedVault(file), .notAVault), (ListedVault(other.path), .authenticationFailed),
      (ListedVault(fixture.own.folder.file("none/v")), .vaultNotFound),
      (ListedVault(fixture.own.path, isReadOnly: true), .invalidArgument),
      (ListedVault(fixture.own.path), .invalidArgument),
      (ListedVault(fixture.team, isReadOnly: true, owner: "no such user"), .configuration),
    ] {
      let error = #expect(throws: VaultError.self) {
        _ = try VaultList.open([ListedVault(fixture.own.path), vault], key: fixture.own.key)
      }
      #expect(error?.code == code)
      #expect(error?.context.contains(vault.path) == true, "\(error?.context ?? "")")
    }
    expect(.invalidArgument) { _ = try VaultList.open([ListedVault](), key: fixture.own.key) }
    #expect(try VaultList.open([fixture.own.path], key: fixture.own.key).vaults.count == 1)
  }

  @Test("names the vault in every error of a lookup")
  func failing() throws {
    let fixture = try TeamFixture { team in
      try team.add(item("bob", "team"))
      try team.add(item("eve", "team"))
    }
    let list = try fixture.list()
    let ambiguous = #expect(throws: VaultError(.ambiguous, "")) {
      _ = try list.findUnique(ItemQuery(try space()))
    }
    #expect(ambiguous?.context.hasPrefix("\(fixture.team): ") == true)
    #expect(ambiguous?.candidates.map(\.account).sorted() == ["bob", "eve"])
    try list.vaults[1].lock()
    for lookup in [
      { () throws -> Void in _ = try list.find(ItemQuery()) },
      { _ = try list.findAll(ItemQuery()) }, { _ = try list.credentials(for: space()) },
      { _ = try list.defaultCredential(for: space()) },
      { _ = try list.findAll(ItemQuery(itemClass: .genericPassword)) },
    ] {
      let error = #expect(throws: VaultError(.locked, "")) { try lookup() }
      #expect(error?.context.hasPrefix("\(fixture.team): ") == true)
    }
  }

  @Test("answers every lookup, also behind the door for tasks")
  func lookups() async throws {
    let fixture = try TeamFixture { team in
      try team.add(item("bob", "team"))
      try team.add(
        Item(service: "ci", account: "bot", secret: Secret("t")))
    }
    let list = try await Vault.perform { try VaultList.open(fixture.listed, key: fixture.own.key) }
    let query = ItemQuery(try space())
    let found = try await Vault.perform { try list.find(query, withSecrets: true) }
    #expect(found.vault.path == fixture.team)
    #expect(try list.findUnique(ItemQuery(try space())).item.account == "bob")
    #expect(try list.findAll(ItemQuery()).count == 1)
    #expect(try list.item(found.item.id).item.account == "bob")
    #expect(try list.credentials(for: space()).map(\.user) == ["bob"])
    #expect(try list.defaultCredential(for: space())?.user == "bob")
    let generic = try list.find(ItemQuery(itemClass: .genericPassword)).item
    #expect(
      try list.findUnique(ItemQuery(itemClass: .genericPassword)).item.id == generic.id)
    #expect(try list.findAll(ItemQuery(itemClass: .genericPassword)).count == 1)
    #expect(try list.item(generic.id).item.account == "bot")
    #expect(try VaultList.open([fixture.own.path], key: fixture.own.key).vaults.count == 1)
  }

  @Test("asks all vaults with a passphrase that can be read only once")
  func descriptor() throws {
    let folder = try TemporaryFolder()
    StateFolder.useOwn()
    let key = KeySource.passphrase(Secret("right"))
    for name in ["a", "b"] {
      try Vault.create(path: folder.file("v/\(name)"), key: key, cost: .minimum).close()
    }
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("right\n".utf8))
    try pipe.fileHandleForWriting.close()
    let list = try VaultList.open(
      ["a", "b"].map { folder.file("v/\($0)") },
      key: .passphraseDescriptor(pipe.fileHandleForReading.fileDescriptor))
    #expect(try list.vaults.map { try $0.state() } == [.unlocked, .unlocked])
  }
}
