import CVault
import CredentialVault
import VaultModel

/// Adding: `SecKeychainAddInternetPassword`, and the attributes of new items.
enum AddRows {
  static let rows: [Row] =
    Attribute.key.map(partRow) + [
      Row(
        "add.duplicate", .add,
        "The same seven attributes are errSecDuplicateItem; the output is unchanged.",
        by: .any(duplicate), .native(untouched), .keychain(KeychainAdding.duplicate),
        vault: .same("duplicate-item, one"), compatible: .same("duplicate-item, one"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.duplicate.candidate", .add, "A duplicate's error does not say which item.",
        by: .swift(candidates),
        vault: .differs(
          "It has the other item, without its secret.", "ann, no secret"),
        compatible: .inexpressible("A status is a number; finding finds the item."),
        why: "The caller can decide without searching.",
        except: [.native: "a status is a number; vault_find() finds the item"]),
      Row(
        "add.duplicate.rest", .add,
        "Another label, comment, type, flag or secret makes no other item.",
        by: .any(duplicateInSpiteOfRest), vault: .same("duplicate-item"),
        compatible: .same("duplicate-item"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.wildcards", .add, "Protocol 0 and http are two items.",
        by: .any(wildcards), vault: .same("ok, ok, 2"), compatible: .same("ok, ok, 2")),
      Row(
        "add.nothing", .add,
        "An item without attributes can be added, once.",
        by: .any(nothing), vault: .same("ok, duplicate-item"),
        compatible: .same("ok, duplicate-item"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.secret.empty", .add, "A secret of length 0 is valid.",
        by: .any { "“\(try $0.secret(of: $0.add(.ann, secret: "")))”" }, vault: .same("“”"),
        compatible: .same("“”")),
      Row(
        "add.secret.null", .add, "A length without bytes is errSecParam.",
        by: .native(nullSecret), .keychain(KeychainAdding.nullSecret),
        vault: .same("invalid-argument"), compatible: .same("invalid-argument, item-not-found"),
        except: [.swift: "a secret has its own length"]),
      Row(
        "add.label", .add,
        "The label is the server if none is given, else the account.",
        by: .any(label), vault: .same("git.example.com, ann"),
        compatible: .same("git.example.com, ann")),
      Row(
        "add.label.empty", .add, "An empty label stays empty.",
        by: .vault { try $0.read(.label, of: $0.add(.ann.with(.label, ""))) },
        .keychain { driver in
          try driver.addItem(["srvr": "git.example.com", "labl": "", "r_Attributes": true])["labl"]
            .text
        },
        vault: .differs("It is unset: the default applies.", "git.example.com"),
        compatible: .differs("It is unset: the default applies.", "git.example.com"),
        why: "Absent is empty everywhere.",
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.dates", .add, "Both dates are now.",
        by: .any(dates), vault: .same("same"), compatible: .same("same")),
      Row(
        "add.dates.given", .add, "A given creation date does not count.",
        by: .swift(givenDates), vault: .same("now"),
        compatible: .inexpressible("A date in a dictionary is ignored, and lists have none."),
        except: [.native: "dates are read-only"]),
      Row(
        "add.creator", .add, "The creator is 'aapl'.",
        by: .any { "“\(try $0.read(.creator, of: $0.add(.ann)))”" },
        vault: .differs("Unset, unless given.", "“”"),
        compatible: .differs("Unset.", "“”"), why: "The code names Apple."),
      Row(
        "add.unset", .add, "Missing port and protocol are stored as 0.",
        by: .any(unsetNumbers), vault: .same("“”, “”"), compatible: .same("“”, “”")),
      Row(
        "add.method.not-given", .add, "A missing type is 0.",
        by: .any { "“\(try $0.read(.method, of: $0.add(.user("ann"))))”" },
        vault: .differs("Default; unset is explicit.", "“default”"),
        compatible: .same("“”"),
        why: "Any password method then finds it."),
      Row(
        "add.method.zero", .add, "Type 0 and no type are two items.",
        by: .any(zeroMethod), .keychain(KeychainAdding.zeroMethod),
        vault: .differs("Absent, empty and 0 are one.", "duplicate-item"),
        compatible: .differs("Absent, empty and 0 are one.", "ok"),
        why: "Nobody could tell them apart."),
      Row(
        "add.place.null", .add, "NULL adds to the default keychain.",
        by: .keychain(KeychainAdding.defaultVault),
        vault: .inexpressible("The object whose function is called is the vault."),
        compatible: .same("ann"), except: [.session: "the default vault is a file"], alone: true),
      Row(
        "add.place.invalid", .add,
        "An invalid keychain is replaced by the default one.",
        by: .keychain(KeychainAdding.invalidVault),
        vault: .inexpressible(
          "A vault is an open object; opening a missing one is an error."),
        compatible: .differs(
          "errSecInvalidKeychain; nothing is stored.",
          "invalid-keychain, item-not-found"),
        why: "Nobody named that vault.",
        except: [.session: addsPermanently], alone: true),
      Row(
        "add.place.other", .add,
        "Another keychain may have the same item; the search order decides.",
        by: .any(otherVault), .keychain(KeychainAdding.otherVault), vault: .same("ok, ok"),
        compatible: .same("own, other")),
      Row(
        "add.place.session", .add, "Every item is permanent.",
        by: .vault(sessionHides),
        vault: .differs(
          "A session item hides a permanent one of its key.", "two"),
        compatible: .inexpressible("Adding is permanent."),
        why: "The permanent one stays.",
        except: [.session: "both stores are used at once"]),
      Row(
        "add.item.optional", .add,
        "The item is retained, or omitted for NULL.",
        by: .any { try $0.read(.account, of: $0.add(.ann)) }, .keychain(KeychainAdding.withoutItem),
        vault: .same("ann"), compatible: .same("ok, ann"),
        except: [.keychainSession: addsPermanently]),
      Row(
        "add.event", .add, "Observers are told of an addition.",
        by: .swift(event), .keychain(eventInC), vault: .same("added"),
        compatible: .same("added"),
        except: [
          .native: callbacks,
          .keychainSession: addsPermanently,
        ], alone: true),
      Row(
        "add.again", .add,
        "Adding an item of a keychain again is errSecDuplicateItem.",
        by: .swift(addAgain), vault: .same("duplicate-item"),
        compatible: .inexpressible("Adding takes attributes, not an item."),
        except: [.native: "adding takes attributes and no item"]),
      Row(
        "add.damaged", .add,
        "A damaged item in the way is silently deleted.",
        by: .any(damaged),
        vault: .differs(
          "An error (errSecInvalidKeychain); nothing is written.", "damaged, unchanged"),
        compatible: .differs(
          "An error (errSecInvalidKeychain); nothing is written.", "invalid-keychain, unchanged"),
        why: "It may be all that is left; ask `vaultctl doctor`.",
        except: [.session: "memory has no file to damage"]),
    ]

  static let addsPermanently = "adding is permanent"

  // MARK: The key

  private static func partRow(_ part: Attribute) -> Row {
    Row(
      "add.key.\(part)", .add, "Another \(part.apple) makes another item.",
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
    var item = try Item(.ann, secret: "one")
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
    let session = try Item(.ann, secret: "two")
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

  /// Adds with a callback, which is called before the function returns.
  static let callbacks = "`VaultAddCallback()` of the compatible interface is for both"

  static func eventInC(_ driver: KeychainDriver) throws -> String {
    var count: Int32 = 0
    return try unsafe withUnsafeMutablePointer(to: &count) { count in
      let callback: VaultCallback = { event, _, context in
        // The context is the number below, as long as the callback is installed.
        if event == VaultEventKind(kVaultAddEvent) {
          unsafe context?.assumingMemoryBound(to: Int32.self).pointee += 1
        }
        return 0
      }
      try check(
        unsafe VaultAddCallback(callback, VaultEventMask(1 << kVaultAddEvent), count))
      defer { unsafe VaultRemoveCallback(callback) }
      try driver.add(.ann)
      return unsafe count.pointee == 1 ? "added" : "\(unsafe count.pointee) events"
    }
  }

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
