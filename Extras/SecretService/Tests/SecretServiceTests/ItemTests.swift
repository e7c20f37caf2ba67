import BusMessages
import CredentialVault
import SecureMemory
import Testing
import TestSupport
import VaultModel

@testable import SecretService

@Suite("Items of the Secret Service")
struct ItemTests {
  @Test("equal attributes are one item if it is replaced, and two if it is not")
  func replacing() throws {
    let bench = try ServiceFixture()
    let first = try bench.create(["a": "1", "b": "2"], Secret("one"), label: "First")
    let second = try bench.create(["b": "2", "a": "1"], Secret("two"), label: "Second")
    #expect(first == second)
    #expect(try bench.secret(first) == Array("two".utf8))
    #expect(try bench.property("Label", of: first, "Item")?.text == "Second")
    let third = try bench.create(["a": "1", "b": "2"], Secret("three"), replaces: false)
    #expect(third != first)
    #expect(try Set(bench.search(["a": "1"]).unlocked) == [first, third])
    #expect(try bench.search(["a": "2"]).unlocked == [])
    #expect(try bench.search(["a": "1", "c": ""]).unlocked == [])
    #expect(try bench.attributes(of: third) == ["a": "1", "b": "2"])
  }

  @Test("what was stored with exactly the searched attributes is found first, else the newest")
  func exactFirst() throws {
    let bench = try ServiceFixture()
    let base = try bench.create(["a": "1"])
    let more = try bench.create(["a": "1", "b": "2"])
    let twin = try bench.create(["a": "1"], replaces: false)
    let newest = try bench.create(["a": "1", "c": "3"])
    #expect(try bench.search(["a": "1"]).unlocked == [twin, base, newest, more])
    #expect(try bench.search(["b": "2"]).unlocked == [more])
    let server = ["server": "example.com", "protocol": "https"]
    let host = try bench.create(server)
    _ = try bench.create(server.merging(["user": "ann"]) { $1 })
    #expect(try bench.search(server).unlocked.first == host)
  }

  @Test(
    "a known schema is the item that others find",
    arguments: [
      (
        [
          "xdg:schema": "org.gnome.keyring.NetworkPassword", "server": "Git.Example.com",
          "protocol": "https", "user": "ann", "object": "/team/repo", "port": "8443",
          "domain": "Team", "authtype": "basic",
        ],
        Item.Key(
          account: "ann", realm: "Team", server: try! HostName("git.example.com"),
          protocol: .https, authenticationMethod: .basic, port: 8443, path: "team/repo")
      ),
      (
        [
          "xdg:schema": "org.git.Password", "server": "example.com", "protocol": "https",
          "user": "ann",
        ],
        Item.Key(
          account: "ann", server: try! HostName("example.com"), protocol: .https)
      ),
      (
        [
          "xdg:schema": "io.docker.Credentials", "server": "https://index.docker.io/v1/",
          "username": "bob", "docker_cli": "1", "label": "Docker Credentials",
        ],
        Item.Key(
          account: "bob", server: try! HostName("index.docker.io"), protocol: .https,
          path: "v1")
      ),
    ])
  func known(attributes: [String: String], key: Item.Key) throws {
    let bench = try ServiceFixture()
    let path = try bench.create(attributes)
    let item = try bench.vault.find(ItemQuery(key: key), withSecrets: true)
    #expect(item.key == key)
    #expect(item.secret?.array == Array("s3cret".utf8))
    #expect(item.origin == (attributes["docker_cli"] == nil ? "secret-service" : "docker"))
    #expect(try bench.search(attributes).unlocked == [path])
    #expect(try bench.attributes(of: path)?["xdg:schema"] == attributes["xdg:schema"])
  }

  @Test("services, users and Chromium are generic passwords of these names")
  func generic() throws {
    let bench = try ServiceFixture()
    let python = ["service": "pypi", "username": "ann", "application": "Python keyring library"]
    let path = try bench.create(python)
    let query = ItemQuery(service: "pypi", account: "ann")
    #expect(try bench.vault.find(query).origin == "secret-service")
    #expect(try bench.attributes(of: path) == python)
    #expect(try bench.search(["service": "pypi", "username": "ann"]).unlocked == [path])
    let chromium = [
      "xdg:schema": "chrome_libsecret_os_crypt_password_v2", "application": "chromium",
    ]
    let safe = try bench.create(chromium)
    let storage = ItemQuery(service: "Chromium Safe Storage", account: "chromium")
    #expect(try bench.vault.findAll(storage).count == 1)
    #expect(try bench.attributes(of: safe) == chromium)
  }

  @Test("what others stored is found by its attributes in any spelling, and changed in place")
  func shared() throws {
    let bench = try ServiceFixture()
    let stored = try bench.vault.add(
      Item(
        server: HostName("example.com"), account: "ann", secret: Secret("old"), protocol: .https,
        realm: "Git")
    ).item
    let query = [
      "server": "EXAMPLE.com", "protocol": "HTTPS", "user": "ann", "port": "443",
      "xdg:schema": "org.gnome.keyring.NetworkPassword",
    ]
    let found = try bench.search(query).unlocked
    #expect(found == ["\(ServiceFixture.login)/\(stored.id.text)"])
    let attributes = [
      "server": "example.com", "protocol": "https", "user": "ann", "domain": "Git",
    ]
    let changed = try bench.create(attributes, Secret("new"))
    #expect(changed == found.first)
    #expect(try bench.attributes(of: changed) == attributes)
    #expect(try bench.vault.item(stored.id, withSecrets: true).secret?.array == Array("new".utf8))
    // Another user's is another item.
    #expect(
      try bench.create(["server": "example.com", "protocol": "https", "user": "bob"]) != changed)
  }

  @Test("identities and negative items are not given away")
  func notOffered() throws {
    let bench = try ServiceFixture()
    var negative = Item(service: "never", secret: Secret("x"))
    negative.isNegative = true
    try bench.vault.add(negative)
    var identity = Item(service: "certificate", secret: Secret("x"))
    identity.secretKind = .identity
    let id = try bench.vault.add(identity).item.id
    #expect(try bench.search([:]).unlocked == [])
    #expect(
      refusal { () throws(BusError) in _ = try bench.secret("\(ServiceFixture.login)/\(id.text)") }
        == "NoSuchObject")
  }

  @Test("the session's items are in its collection and not in the file")
  func session() throws {
    let bench = try ServiceFixture()
    let path = try bench.create(["a": "1"], in: ServiceFixture.session)
    #expect(path.hasPrefix(ServiceFixture.session + "/"))
    #expect(try bench.secret(path) == Array("s3cret".utf8))
    #expect(try bench.property("Items", of: ServiceFixture.session, "Collection")?.paths == [path])
    #expect(try bench.property("Items", of: ServiceFixture.login, "Collection")?.paths == [])
    #expect(try bench.served.hasSessionItems())
  }

  @Test("the policy decides: a refused item is refused, a limited one is the session's")
  func policy() throws {
    let bench = try ServiceFixture()
    var refused = PersistencePolicy.Rule(name: "never")
    (refused.host, refused.refuse) = (try HostPattern("never.example.com"), true)
    var limited = PersistencePolicy.Rule(name: "briefly")
    (limited.service, limited.maximumPersistence) = ("brief", .session)
    let rules = [refused, limited]
    try bench.vault.policy.update { $0 += rules }
    #expect(
      refusal { () throws(BusError) in
        _ = try bench.create(["server": "never.example.com", "protocol": "https", "user": "a"])
      } == "AccessDenied")
    let path = try bench.create(["service": "brief", "username": "ann"])
    #expect(path.hasPrefix(ServiceFixture.session + "/"))
  }

  @Test("what a rule keeps only after acceptance is refused, and nothing waits for it")
  func pending() throws {
    let bench = try ServiceFixture()
    let old = try bench.create(["service": "late", "username": "ann"], Secret("old"))
    var rule = PersistencePolicy.Rule(name: "late")
    (rule.service, rule.persistOnlyAfterAcceptance) = ("late", true)
    let rules = [rule]
    try bench.vault.policy.update { $0 += rules }
    for user in ["ann", "bob"] {
      #expect(
        refusal { () throws(BusError) in
          _ = try bench.create(["service": "late", "username": user], Secret("new"))
        } == "AccessDenied")
    }
    #expect(try bench.secret(old) == Array("old".utf8))
    #expect(try bench.vault.findAll(ItemQuery(itemClass: .genericPassword)).count == 1)
  }

  @Test("a server's item of another port is another item")
  func ports() throws {
    let bench = try ServiceFixture()
    let attributes = ["server": "h.example.com", "protocol": "https", "user": "ann"]
    let other = try bench.create(
      attributes.merging(["port": "8443"]) { $1 }, Secret("of the other port"))
    #expect(try bench.create(attributes, Secret("new")) != other)
    #expect(try bench.secret(other) == Array("of the other port".utf8))
    // The protocol's own port counts as no port.
    let same = try bench.create(attributes.merging(["port": "443"]) { $1 }, Secret("newer"))
    #expect(try bench.search(attributes.merging(["port": "443"]) { $1 }).unlocked == [same])
  }

  @Test("sizes are bounded, and one byte less fits")
  func bounds() throws {
    let bench = try ServiceFixture()
    let most = Secret([UInt8](repeating: 7, count: 1 << 20))
    let path = try bench.create(["a": "1"], most)
    #expect(try bench.secret(path)?.count == 1 << 20)
    let cases: [([String: String], Secret)] = [
      (["a": "2"], Secret([UInt8](repeating: 7, count: (1 << 20) + 1))),
      (["a": String(repeating: "x", count: 4097)], Secret("x")),
      (Dictionary(uniqueKeysWithValues: (0..<65).map { ("a\($0)", "x") }), Secret("x")),
    ]
    for (attributes, secret) in cases {
      #expect(
        refusal { () throws(BusError) in _ = try bench.create(attributes, secret) }
          == "LimitsExceeded")
    }
    #expect(
      refusal { () throws(BusError) in _ = try bench.create(["secret-service.alias": "x"]) }
        == "InvalidArgs")
    #expect(try bench.search([:]).unlocked == [path])
  }

  @Test("the attributes of an item that others know change its fields, but not what it is")
  func changingKnown() throws {
    let bench = try ServiceFixture()
    let set = { (path: String, attributes: [String: String]) throws(BusError) in
      _ = try bench.call(
        path, "org.freedesktop.DBus.Properties", "Set", .text("org.freedesktop.Secret.Item"),
        .text("Attributes"), .variant(.texts(attributes)))
    }
    let schema = ["xdg:schema": "org.gnome.keyring.NetworkPassword"]
    let old = ["server": "a.example.com", "protocol": "https", "user": "ann", "mine": "1"]
    let network = try bench.create(old, Secret("s"), label: "Mine")
    let new = [
      "server": "b.example.com", "protocol": "http", "user": "bob", "port": "8080",
      "domain": "Realm", "object": "/p", "authtype": "digest", "other": "2",
    ].merging(schema) { $1 }
    try set(network, new)
    #expect(try bench.attributes(of: network) == new)
    let key = Item.Key(
      account: "bob", realm: "Realm", server: try HostName("b.example.com"), protocol: .http,
      authenticationMethod: .digest, port: 8080, path: "p")
    let item = try bench.vault.find(ItemQuery(key: key), withSecrets: true)
    #expect(item.label == "Mine" && item.secret?.array == Array("s".utf8))
    // The slash is kept beside the path, which has none.
    #expect(item.custom == ["other": "2", "object": "/p"])

    let python = try bench.create(["service": "pypi", "username": "ann"])
    try set(python, ["service": "pypi", "username": "bob"])
    #expect(
      try bench.vault.findAll(ItemQuery(service: "pypi")).map(\.account)
        == ["bob"])
    let docker = ["xdg:schema": "io.docker.Credentials", "server": "r.example.com"]
    let registry = try bench.create(docker.merging(["username": "ann"]) { $1 })
    try set(registry, docker.merging(["username": "bob", "label": "L"]) { $1 })
    #expect(try bench.attributes(of: registry)?["username"] == "bob")

    // An item of another kind, or the key of another one.
    let refused: [(String, [String: String])] = [
      (network, ["a": "1"]), (network, docker), (python, new),
      (registry, docker.merging(["server": "s.example.com", "username": "b"]) { $1 }),
    ]
    for (path, attributes) in refused {
      #expect(refusal { () throws(BusError) in try set(path, attributes) } == "NotSupported")
    }
    let twin = try bench.create(old)
    #expect(refusal { () throws(BusError) in try set(twin, new) } == "Failed")
    #expect(try bench.attributes(of: twin)?["mine"] == "1")
  }

  @Test("attributes and label change, unless they mean an item of another kind")
  func changing() throws {
    let bench = try ServiceFixture()
    let (path, other) = (try bench.create(["a": "1"]), try bench.create(["a": "2"]))
    let set = { (path: String, name: String, value: BusValue) throws(BusError) in
      try bench.call(
        path, "org.freedesktop.DBus.Properties", "Set", .text("org.freedesktop.Secret.Item"),
        .text(name), .variant(value))
    }
    _ = try set(path, "Label", .text("Name"))
    _ = try set(path, "Attributes", .texts(["a": "2", "b": "x"]))
    #expect(try bench.attributes(of: path) == ["a": "2", "b": "x"])
    // Two may have the same attributes.
    _ = try set(path, "Attributes", .texts(["a": "2"]))
    #expect(try Set(bench.search(["a": "2"]).unlocked) == [path, other])
    #expect(try bench.property("Label", of: path, "Item")?.text == "Name")
    let network = try bench.create(["server": "example.com", "protocol": "https", "user": "ann"])
    #expect(
      refusal { () throws(BusError) in _ = try set(network, "Attributes", .texts(["a": "1"])) }
        == "NotSupported")
    #expect(
      refusal { () throws(BusError) in _ = try set(path, "Locked", .flag(true)) }
        == "PropertyReadOnly")
    try bench.call(path, "Item", "Delete")
    #expect(try bench.search(["a": "2"]).unlocked == [other])
    #expect(try bench.vault.trash.items(.everything).isEmpty)
  }

  @Test("a collection that a program made has its own items and alias, and goes with them")
  func collections() throws {
    let bench = try ServiceFixture()
    let made = try bench.call(
      ServiceFixture.path, "Service", "CreateCollection",
      .variants([("org.freedesktop.Secret.Collection.Label", .text("My work"))]), .text("work"))
    let work = made[0].path ?? ""
    #expect(work == "/org/freedesktop/secrets/collection/My_work")
    let path = try bench.create(
      ["server": "example.com", "protocol": "https"],
      in: "/org/freedesktop/secrets/aliases/work")
    #expect(path.hasPrefix(work + "/"))
    #expect(try bench.search(["server": "example.com"]).unlocked == [path])
    #expect(try bench.property("Items", of: ServiceFixture.login, "Collection")?.paths == [])
    #expect(
      try bench.property("Collections", of: ServiceFixture.path, "Service")?.paths
        == [ServiceFixture.login, ServiceFixture.session, work])
    try bench.call(work, "Collection", "Delete")
    #expect(try bench.search([:]).unlocked == [])
    #expect(try bench.vault.trash.items(.everything).isEmpty)
    #expect(
      try bench.call(ServiceFixture.path, "Service", "ReadAlias", .text("work"))[0].path == "/")
    #expect(
      try bench.call(ServiceFixture.path, "Service", "ReadAlias", .text("default"))[0].path
        == ServiceFixture.login)
  }

  @Test("a collection has any number of aliases, each of which is of one collection")
  func aliases() throws {
    let bench = try ServiceFixture()
    let create = { (label: String, alias: String) throws(BusError) in
      try bench.call(
        ServiceFixture.path, "Service", "CreateCollection",
        .variants([("org.freedesktop.Secret.Collection.Label", .text(label))]), .text(alias))[0]
        .path ?? ""
    }
    let alias = { (name: String) throws(BusError) in
      try bench.call(ServiceFixture.path, "Service", "ReadAlias", .text(name))[0].path
    }
    let set = { (name: String, path: String) throws(BusError) in
      _ = try bench.call(ServiceFixture.path, "Service", "SetAlias", .text(name), .path(path))
    }
    let work = try create("Work", "work")
    try set("job", work)
    #expect(try alias("work") == work && alias("job") == work)
    // One that is there is not made again, but named as was asked for.
    #expect(try create("Trade", "job") == work)
    #expect(try bench.property("Label", of: work, "Collection")?.text == "Trade")
    for path in [ServiceFixture.session, work, ServiceFixture.login] {
      try set("default", path)
      #expect(try alias("default") == path && alias("work") == work)
    }
    try set("default", work)
    try set("default", "/")
    #expect(try alias("default") == ServiceFixture.login)
    try set("job", "/")
    #expect(try alias("job") == "/" && alias("work") == work)
    #expect(
      refusal { () throws(BusError) in try set("x", ServiceFixture.path + "/collection/none") }
        == "NoSuchObject")
    // They are the vault itself.
    for path in [ServiceFixture.login, ServiceFixture.session] {
      #expect(
        refusal { () throws(BusError) in try bench.call(path, "Collection", "Delete") }
          == "NotSupported")
    }
  }

  @Test("no signal is announced that is not sent")
  func announced() throws {
    let bench = try ServiceFixture()
    let text =
      try bench.call(
        ServiceFixture.login, "org.freedesktop.DBus.Introspectable", "Introspect")[0].text ?? ""
    for (name, telling) in [
      ("Items", "false"), ("Created", "const"), ("Modified", "false"), ("Label", "true"),
      ("Locked", "true"),
    ] {
      let property = text.split(separator: "<property name=\"\(name)\"").last ?? ""
      let annotation = property.split(separator: "</property>").first ?? ""
      #expect(annotation.hasSuffix("EmitsChangedSignal\" value=\"\(telling)\"/>"), "\(name)")
    }
  }
}
