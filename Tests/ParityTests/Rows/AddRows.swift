import CredentialVault
import VaultModel

/// Adding: `SecKeychainAddInternetPassword`, and the attributes of new items.
enum AddRows {
  static let rows: [Row] =
    Attribute.key.map(partRow) + [
      Row(
        "add.duplicate", .add,
        "An item with the same seven attributes is errSecDuplicateItem; the item's place is left as it was.",
        by: .any(duplicate), .native(untouched), .keychain(KeychainAdding.duplicate),
        vault: .same("exists, one"), compatible: .same("exists, one"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.duplicate.candidate", .add, "The error does not say which item is in the way.",
        by: .swift(candidates),
        vault: .differs(
          "The error holds the item of the same key, without its secret.", "ann, no secret"),
        compatible: .inexpressible("A status is a number; finding finds the item."),
        why: "Whoever has to decide need not search.",
        except: [.native: "a status is a number; vault_find() finds the item"]),
      Row(
        "add.duplicate.rest", .add,
        "Label, description, comment, creator, type, flags and secret do not make another item.",
        by: .any(duplicateInSpiteOfRest), vault: .same("item-exists"), compatible: .same("item-exists"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.wildcards", .add, "Any has no part in it: protocol 0 and http are two items.",
        by: .any(wildcards), vault: .same("ok, ok, 2"), compatible: .same("ok, ok, 2")),
      Row(
        "add.nothing", .add, "No attribute is mandatory: an item without any can be added, once.",
        by: .any(nothing), vault: .same("ok, exists"), compatible: .same("ok, exists"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.secret.empty", .add, "A secret of the length 0 is valid.",
        by: .any { "“\(try $0.secret(of: $0.add(.ann, secret: "")))”" }, vault: .same("“”"),
        compatible: .same("“”")),
      Row(
        "add.secret.null", .add, "A length without bytes is errSecParam.",
        by: .native(nullSecret), .keychain(KeychainAdding.nullSecret),
        vault: .same("invalid-argument"), compatible: .same("invalid-argument, not-found"),
        except: [.swift: "a secret has its own length"]),
      Row(
        "add.label", .add,
        "The label of an item that is added without one is its server, else its account.",
        by: .any(label), vault: .same("git.example.com, ann"),
        compatible: .same("git.example.com, ann")),
      Row(
        "add.label.empty", .add, "A label that is given and empty stays empty.",
        by: .vault { try $0.read(.label, of: $0.add(.ann.with(.label, ""))) },
        vault: .differs("Empty is unset, and gets the default.", "git.example.com"),
        compatible: .inexpressible("Adding takes no label."),
        why: "Absent and empty are one value everywhere."),
      Row(
        "add.dates", .add, "Both dates become now, whatever the caller gives.",
        by: .any(dates), vault: .same("same"), compatible: .same("same")),
      Row(
        "add.dates.given", .add, "A creation date that is given is overwritten.",
        by: .swift(givenDates), vault: .same("now"),
        compatible: .inexpressible("Adding takes no date."),
        except: [.native: "dates are to read only"]),
      Row(
        "add.creator", .add, "The creator becomes 'aapl'.",
        by: .any { "“\(try $0.read(.creator, of: $0.add(.ann)))”" },
        vault: .differs("Unset, unless it is given.", "“”"),
        compatible: .differs("Unset.", "“”"), why: "The code names Apple as the creator."),
      Row(
        "add.unset", .add, "Port and protocol that are not given are kept as 0.",
        by: .any(unsetNumbers), vault: .same("“”, “”"), compatible: .same("“”, “”")),
      Row(
        "add.method.not-given", .add, "An authentication type that is not given is kept as 0.",
        by: .any { "“\(try $0.read(.method, of: $0.add(.user("ann"))))”" },
        vault: .differs("It becomes Default; unset has to be said.", "“default”"),
        compatible: .same("“”"),
        why: "So whoever is challenged with any password method finds it; who stores 0 means 0."),
      Row(
        "add.method.zero", .add, "A type of four zero bytes and an absent one make two items.",
        by: .any(zeroMethod), .keychain(KeychainAdding.zeroMethod),
        vault: .differs("Absent, empty and 0 are one value.", "item-exists"),
        compatible: .differs("Absent, empty and 0 are one value.", "ok"),
        why: "Two items that nobody can tell apart help nobody."),
      Row(
        "add.place.null", .add, "NULL adds to the default keychain.",
        by: .keychain(KeychainAdding.defaultVault),
        vault: .inexpressible("A vault is named by the object whose function is called."),
        compatible: .same("ann"), except: [.session: "the default vault is a file"], alone: true),
      Row(
        "add.place.invalid", .add,
        "What is no keychain, or a missing one, is silently replaced by the default keychain.",
        by: .keychain(KeychainAdding.invalidVault),
        vault: .inexpressible(
          "A vault is an object that is open; opening a missing one is an error."),
        compatible: .differs(
          "errSecInvalidKeychain, and nothing is stored anywhere.", "invalid-keychain, not-found"),
        why: "A secret must not land in a vault that was not named.",
        except: [.session: addsPermanently], alone: true),
      Row(
        "add.place.other", .add,
        "The same attributes may be in another keychain; the search order says which is found.",
        by: .any(otherVault), .keychain(KeychainAdding.otherVault), vault: .same("ok, ok"),
        compatible: .same("own, other")),
      Row(
        "add.place.session", .add, "There is one persistence, permanent.",
        by: .vault(sessionHides),
        vault: .differs(
          "An item of the session may have the key of a permanent one, and hides it.", "two"),
        compatible: .inexpressible("Adding is permanent."),
        why: "A credential for now does not destroy the one for good.",
        except: [.session: "both stores are used at once"]),
      Row(
        "add.item.optional", .add,
        "The item is counted for the caller, and may be left out by NULL.",
        by: .any { try $0.read(.account, of: $0.add(.ann)) }, .keychain(KeychainAdding.withoutItem),
        vault: .same("ann"), compatible: .same("ok, ann"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.event", .add, "Observers are told that an item was added.",
        by: .swift(event), vault: .same("added"),
        compatible: .inexpressible("There are no callbacks."),
        except: [.native: "there are no callbacks"]),
      Row(
        "add.again", .add, "Adding an item object that is in a keychain is errSecDuplicateItem.",
        by: .swift(addAgain), vault: .same("item-exists"),
        compatible: .inexpressible("Adding takes attributes and no item."),
        except: [.native: "adding takes attributes and no item"]),
      Row(
        "add.damaged", .add,
        "An item in the way that fails its integrity check is silently deleted.",
        by: .any(damaged),
        vault: .differs("Damage is an error, and nothing is written.", "damaged, unchanged"),
        compatible: .differs(
          "errSecInvalidKeychain, and nothing is written.", "invalid-keychain, unchanged"),
        why: "What is damaged may be all that is left; `vaultctl doctor` says what can be done.",
        except: [.session: "memory has no file to damage"]),
    ]

  static let addsPermanently = "adding is permanent"

  // MARK: The key

  private static func partRow(_ part: Attribute) -> Row {
    Row(
      "add.key.\(part)", .add, "Another \(part.apple) alone makes another item.",
      by: .any { driver in
        try driver.add(.ann)
        let other = [.port: "443", .protocol: "http", .method: "digest"][part] ?? "other"
        return seen(
          try outcome { try driver.add(.ann.with(part, other)) },
          try outcome { try driver.add(.ann.with(part, "")) }, "\(try driver.findAll([:]).count)")
      }, vault: .same("ok, ok, 3"), compatible: .same("ok, ok, 3"))
  }

  static func duplicate(_ driver: any Driver) throws -> String {
    let first = try driver.add(.ann)
    return seen(
      try outcome { try driver.add(.ann, secret: "two") }, try driver.secret(of: first))
  }

  static func candidates(_ driver: SwiftDriver) throws -> String {
    try driver.add(.ann)
    do {
      try driver.add(.ann, secret: "two")
      return "ok"
    } catch let error as VaultError {
      return error.candidates.map { "\($0.account), \($0.secret == nil ? "no secret" : "secret")" }
        .joined()
    }
  }

  static func duplicateInSpiteOfRest(_ driver: any Driver) throws -> String {
    let rest: Attributes = [
      .label: "l", .kind: "k", .comment: "c", .creator: "crea", .type: "type", .invisible: "1",
      .negative: "1",
    ]
    try driver.add(.ann)
    return try outcome { try driver.add(.ann.merging(rest) { $1 }, secret: "two") }
  }

  static func wildcards(_ driver: any Driver) throws -> String {
    let none = Attributes.ann.with(.protocol, "")
    return seen(
      try outcome { try driver.add(none) },
      try outcome { try driver.add(.ann.with(.protocol, "http")) },
      "\(try driver.findAll([:]).count)")
  }

  static func nothing(_ driver: any Driver) throws -> String {
    seen(try outcome { try driver.add([:]) }, try outcome { try driver.add([:]) })
  }

  static func zeroMethod(_ driver: any Driver) throws -> String {
    try driver.add(.ann.with(.method, ""))
    return try outcome { try driver.add(.ann.with(.method, "")) }
  }

  // MARK: The new item

  static func label(_ driver: any Driver) throws -> String {
    seen(
      try driver.read(.label, of: driver.add(.ann)),
      try driver.read(.label, of: driver.add([.account: "ann"])))
  }

  static func dates(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    let dates = (try driver.read(.created, of: item), try driver.read(.modified, of: item))
    return dates.0 == dates.1 && !dates.0.isEmpty ? "same" : "\(dates)"
  }

  static func givenDates(_ driver: SwiftDriver) throws -> String {
    var item = try InternetPassword(.ann, secret: "one")
    item.created = Timestamp(seconds: 5)
    let before = Timestamp.now()
    let added = try driver.vault.add(item, persistence: driver.store.persistence).item
    return added.created >= before ? "now" : "\(added.created)"
  }

  static func unsetNumbers(_ driver: any Driver) throws -> String {
    let item = try driver.add(.user("ann"))
    return seen(
      "“\(try driver.read(.port, of: item))”", "“\(try driver.read(.protocol, of: item))”")
  }

  static func untouched(_ driver: NativeDriver) throws -> String {
    let first = try driver.add(.ann)
    let outcome = try outcome { _ = try driver.addUntouched(.ann) }
    return seen(outcome, try driver.secret(of: first))
  }

  static func nullSecret(_ driver: NativeDriver) throws -> String {
    try outcome { try Named(.ann).setNullSecret(count: 3) }
  }

  // MARK: The vault it is in

  static func otherVault(_ driver: any Driver) throws -> String {
    let other = try Setup(
      interface: driver is SwiftDriver ? .swift : .native, store: .file
    ).makeDriver()
    return seen(try outcome { try driver.add(.ann) }, try outcome { try other.add(.ann) })
  }

  static func sessionHides(_ driver: any VaultDriver) throws -> String {
    try driver.add(.ann)
    let session = try InternetPassword(.ann, secret: "two")
    try driver.place.vault.add(session, persistence: .session)
    return try driver.findAll(.ann).map { try driver.secret(of: $0) }.joined(separator: " ")
  }

  static func damaged(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    let before = try driver.place.damage()
    let outcome = try outcome { try driver.add(.ann) }
    return seen(
      outcome, try driver.place.contents() == before ? "unchanged" : "changed")
  }

  // MARK: In Swift alone

  static func event(_ driver: SwiftDriver) throws -> String {
    let events = Events()
    let observation = driver.vault.events.observe { events.write($0) }
    try driver.add(.ann)
    observation.cancel()
    return events.names
  }

  static func addAgain(_ driver: SwiftDriver) throws -> String {
    let item = try driver.known(driver.add(.ann))
    return try outcome { try driver.vault.add(item, persistence: driver.store.persistence) }
  }
}
