import CVault
import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// Changing and deleting: `SecKeychainItemModifyContent`, `…ModifyAttributesAndData`,
/// `SecKeychainItemDelete`.
enum ModifyRows {
  static let rows: [Row] = [
    Row(
      "modify.merge", .modify, "Attributes that are not named stay.",
      by: .any(merge), vault: .same("new, Team Git, 8443, /team, label, one"),
      compatible: .same("new, Team Git, 8443, /team, label, one")),
    Row(
      "modify.attributes.none", .modify, "Without a list, only the secret changes.",
      by: .any(secretAlone), vault: .same("two, /team, label"),
      compatible: .same("two, /team, label")),
    Row(
      "modify.data.null", .modify, "NULL data keep the secret, whatever the length.",
      by: .native(nullSecret), .keychain(KeychainModifying.nullData),
      vault: .differs("With a length, an invalid argument.", "invalid-argument, one"),
      compatible: .same("ok, new, one"),
      why: "It is a mistake, which programs may rely on.",
      except: [.swift: "a secret has its own length"]),
    Row(
      "modify.data.empty", .modify, "Data of length 0 empty the secret.",
      by: .any(emptySecret), vault: .same("“”"), compatible: .same("“”")),
    Row(
      "modify.no-op", .modify,
      "A change that changes nothing updates the date.",
      by: .vault(noOp), .keychain(KeychainModifying.noOp),
      vault: .differs("Nothing is written.", "same revision, same date"),
      compatible: .differs("Nothing is written.", "same revision, same date"),
      why: "A date says when something changed."),
    Row(
      "modify.twice", .modify, "Of two values the last wins.",
      by: .swift(twice), .native(twiceInC), .keychain(KeychainModifying.twice),
      vault: .same("last"), compatible: .same("last")),
    Row(
      "modify.number.empty", .modify,
      "ModifyContent refuses a number of length 0; the other function clears it.",
      by: .any(clearedNumber), .keychain(KeychainModifying.emptyNumber),
      vault: .differs("0 and empty unset it.", "“”"),
      compatible: .same("invalid-value, ok, “”"), why: "There is one function."),
    Row(
      "modify.number.empty-key", .modify,
      "Clearing a number of the key is errSecMissingValue.",
      by: .any(clearedPort), .keychain(KeychainModifying.emptyKeyNumber),
      vault: .differs("0 unsets it.", "“”"), compatible: .same("missing-value, 8443"),
      why: "What can be added can be set."),
    Row(
      "modify.number.width", .modify,
      "Numbers have 1, 2 or 4 bytes, else errSecInvalidValue.",
      by: .keychain(KeychainModifying.widths),
      vault: .inexpressible("Numbers have one width."),
      compatible: .same("7, 519, 117835012, invalid-value, invalid-value")),
    Row(
      "modify.unknown-attribute", .modify,
      "ModifyContent detects an unknown attribute late, with another error.",
      by: .native { try FindRows.unknownAttribute($0) },
      .keychain(KeychainModifying.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .differs(
        "errSecNoSuchAttr; nothing is changed.",
        "no-such-attribute, no-such-attribute, “”"),
      why: "A list is checked before anything changes.",
      except: [.swift: "changes are an enumeration"]),
    Row(
      "modify.label", .modify, "The label's tag is 'labl' or 7.",
      by: .any { driver in
        let item = try driver.add(.ann)
        try driver.modify(item, [.label: "new"])
        return try driver.read(.label, of: item)
      }, .keychain(KeychainModifying.label),
      vault: .same("new"), compatible: .same("new, newer, newer")),
    Row(
      "modify.label.kept", .modify, "A new server keeps the label.",
      by: .any(labelKept), vault: .same("new.example.com, git.example.com"),
      compatible: .same("new.example.com, git.example.com")),
    Row(
      "modify.dates", .modify, "A change sets the modification date alone.",
      by: .any(dates), vault: .same("created kept, modified now"),
      compatible: .same("created kept, modified now")),
    Row(
      "modify.date.created", .modify,
      "A creation date is written, against the header.",
      by: .native(givenDate), .keychain(KeychainModifying.created),
      vault: .differs("Read-only.", "invalid-argument"),
      compatible: .differs("errSecReadOnlyAttr.", "read-only-attribute, kept"),
      why: "The vault knows when it got the item.",
      except: [.swift: "there is no such change"]),
    Row(
      "modify.date.modified", .modify,
      "A modification date is ignored.",
      by: .native(givenDate), .keychain(KeychainModifying.modified),
      vault: .differs("Read-only.", "invalid-argument"),
      compatible: .differs("errSecReadOnlyAttr.", "read-only-attribute, kept"),
      why: "No request is ignored.", except: [.swift: "there is no such change"]),
    Row(
      "modify.collision", .modify,
      "Another item's key is errSecDuplicateItem; both stay.",
      by: .any(collision), vault: .same("duplicate-item, ann, bob, one, two"),
      compatible: .same("duplicate-item, ann, bob, one, two")),
    Row(
      "modify.collision.candidates", .modify, "A collision's error does not say which items.",
      by: .swift(collisionCandidates),
      vault: .differs("It has both.", "bob ann"),
      compatible: .inexpressible("A status is a number."),
      why: "A person can choose.",
      except: [.native: "a status is a number"]),
    Row(
      "modify.collision.later", .modify,
      "A reference keeps failed attributes: later changes fail.",
      by: .any(afterCollision),
      vault: .differs("Nothing is left behind.", "duplicate-item, ok, later"),
      compatible: .differs("Nothing is left behind.", "duplicate-item, ok, later"),
      why: "A failure changes nothing."),
    Row(
      "modify.bad-value.later", .modify,
      "A bad attribute leaves those before it pending.",
      by: .any(afterBadValue), .keychain(KeychainModifying.afterBadTag),
      vault: .differs("Nothing is left behind.", "invalid-argument, “”"),
      compatible: .differs("Nothing is left behind.", "no-such-attribute, ok, “”"),
      why: "A failure changes nothing."),
    Row(
      "modify.secret", .modify, "A new secret changes nothing else.",
      by: .any(secretAlone), vault: .same("two, /team, label"),
      compatible: .same("two, /team, label")),
    Row(
      "modify.secret.history", .modify, "The old secret is gone.",
      by: .swift(history), .keychain(KeychainModifying.history),
      vault: .differs(
        "Ten stay, sealed, and can be restored.", "three two one, two"),
      compatible: .same("gone, two"),
      why: "It may be the one that works.",
      except: [.native: "previous secrets are for Swift and `vaultctl`"]),
    .foreign(
      "modify.secret.unread", .modify,
      "Who may not read a secret may overwrite it.",
      because: "There are no rights to single items."),
    .foreign(
      "modify.floating", .modify, "Changing an item in no keychain is errSecNoSuchKeychain.",
      because: "Every item is stored."),
    Row(
      "modify.deleted", .modify,
      "Changing a deleted item is one of three errors.",
      by: .any(deletedMeanwhile), vault: .differs("One (errSecItemNotFound).", "item-not-found"),
      compatible: .differs("One (errSecItemNotFound).", "item-not-found"),
      why: "One state, one result."),
    Row(
      "modify.event", .modify, "A change is told as deletion and addition.",
      by: .swift(event), .keychain(eventInC), vault: .differs("One change.", "modified"),
      compatible: .differs("One change.", "0 deleted, 0 added, 1 updated"),
      why: "It is one item.",
      except: [
        .native: AddRows.callbacks, .keychainSession: AddRows.addsPermanently,
      ], alone: true),
    Row(
      "modify.rename", .modify,
      "A persistent reference breaks when the key changes.",
      by: .any(rename), vault: .differs("It stays valid.", "zoe, zoe, one"),
      compatible: .differs("It stays valid.", "zoe, zoe, one"),
      why: "It holds an identity."),
    Row(
      "modify.revision", .modify,
      "Nothing detects another's change.",
      by: .vault(revision),
      vault: .differs("A change names the expected revision.", "conflict, ok, second"),
      compatible: .inexpressible("The functions have no such parameter."),
      why: "Two programs may renew one token."),
    Row(
      "delete.done", .modify, "A deleted item is no longer found.",
      by: .any { driver in
        try driver.remove(driver.add(.ann))
        return try driver.first(.ann)
      }, vault: .same("item-not-found"), compatible: .same("item-not-found")),
    Row(
      "delete.trash", .modify, "A deleted item is gone.",
      by: .any(trash),
      vault: .differs(
        "It is in the trash for 30 days; `restore`, or `vaultctl trash` for C, restores it.",
        "item-not-found, ann, one"),
      compatible: .same("item-not-found, item-not-found, item-not-found"),
      why: "A mistake can be undone.",
      except: [.session: "data that is only in memory is gone"]),
    Row(
      "delete.nothing", .modify, "What is no item is errSecInvalidItemRef.",
      by: .native(deleteNothing), .keychain(KeychainModifying.deleteNothing),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("invalid-item"),
      why: "One status for one mistake.",
      except: [.swift: "an item is a value, and there is always one"]),
    Row(
      "delete.twice", .modify, "Deleting twice is one of three errors.",
      by: .any(deleteTwice), vault: .differs("One (errSecItemNotFound).", "ok, item-not-found"),
      compatible: .differs("One (errSecItemNotFound).", "ok, item-not-found"),
      why: "One state, one result."),
    Row(
      "delete.reference", .modify, "A reference is released after the deletion, too.",
      by: .keychain(KeychainModifying.referenceAfterDeletion), .native(referenceAfterDeletion),
      vault: .same("ok"), compatible: .same("ok"), except: [.swift: "values need not be released"]),
    .foreign(
      "delete.extended-attributes", .modify, "Extended attributes go with the item.",
      because: "They are part of it."),
  ]

  // MARK: Unchanged attributes

  private static let labelled = Attributes.ann.with(.label, "label")

  static func merge(_ driver: any Driver) throws -> String {
    let item = try driver.add(labelled)
    try driver.modify(item, [.comment: "new"])
    let rest: [Attribute] = [.comment, .realm, .port, .path, .label]
    return try (rest.map { try driver.read($0, of: item) } + [driver.secret(of: item)])
      .joined(separator: ", ")
  }

  static func secretAlone(_ driver: any Driver) throws -> String {
    let item = try driver.add(labelled)
    try driver.modify(item, [:], secret: "two")
    return seen(
      try driver.secret(of: item), try driver.read(.path, of: item),
      try driver.read(.label, of: item))
  }

  static func emptySecret(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    try driver.modify(item, [:], secret: "")
    return "“\(try driver.secret(of: item))”"
  }

  static func nullSecret(_ driver: NativeDriver) throws -> String {
    let item = try driver.add(.ann)
    return seen(
      try outcome { try Named([.comment: "new"]).setNullSecret(count: 3) },
      try driver.secret(of: item))
  }

  static func noOp(_ driver: any VaultDriver) throws -> String {
    let item = try driver.add(labelled)
    let before = (try driver.revision(of: item), try driver.read(.modified, of: item))
    driver.place.clock.pass(.seconds(60))
    try driver.modify(item, [:], secret: nil)
    try driver.modify(item, labelled, secret: "one")
    let after = (try driver.revision(of: item), try driver.read(.modified, of: item))
    return seen(
      after.0 == before.0 ? "same revision" : "another revision",
      after.1 == before.1 ? "same date" : "another date")
  }

  static func labelKept(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    try driver.modify(item, [.server: "new.example.com"])
    return seen(try driver.read(.server, of: item), try driver.read(.label, of: item))
  }

  // MARK: Values

  static func twice(_ driver: SwiftDriver) throws -> String {
    let item = try driver.add(.ann)
    try driver.vault.modify(driver.known(item), [.comment("first"), .comment("last")])
    return try driver.read(.comment, of: item)
  }

  static func twiceInC(_ driver: NativeDriver) throws -> String {
    let item = try driver.add(.ann)
    try driver.modify(item, namedTwice: "first", "last")
    return try driver.read(.comment, of: item)
  }

  static func clearedNumber(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann.with(.type, "type"))
    try driver.modify(item, [.type: ""])
    return "“\(try driver.read(.type, of: item))”"
  }

  static func clearedPort(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    try driver.modify(item, [.port: ""])
    return "“\(try driver.read(.port, of: item))”"
  }

  static func dates(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    let added = try driver.read(.created, of: item)
    driver.place.clock.pass(.seconds(60))
    try driver.modify(item, [.comment: "new"])
    // An item that is added now has the date of now.
    let now = try driver.read(.created, of: driver.add(.bob))
    let dates = (try driver.read(.created, of: item), try driver.read(.modified, of: item))
    return seen(
      dates.0 == added ? "created kept" : "created changed",
      dates.1 == now && now != added ? "modified now" : "modified otherwise")
  }

  static func givenDate(_ driver: NativeDriver) throws -> String {
    try outcome { _ = try Named([.created: "1000"]) }
  }

  // MARK: Failing

  static func collision(_ driver: any Driver) throws -> String {
    let ann = try driver.add(.ann, secret: "one")
    let bob = try driver.add(.bob, secret: "two")
    return seen(
      try outcome { try driver.modify(ann, [.account: "bob"], secret: "three") },
      try driver.read(.account, of: ann), try driver.read(.account, of: bob),
      try driver.secret(of: ann), try driver.secret(of: bob))
  }

  static func collisionCandidates(_ driver: SwiftDriver) throws -> String {
    let ann = try driver.add(.ann)
    try driver.add(.bob)
    do {
      try driver.modify(ann, [.account: "bob"])
      return "ok"
    } catch let error as VaultError {
      return error.candidates.map(\.account).joined(separator: " ")
    }
  }

  static func afterCollision(_ driver: any Driver) throws -> String {
    let ann = try driver.add(.ann)
    try driver.add(.bob)
    return seen(
      try outcome { try driver.modify(ann, [.account: "bob"]) },
      try outcome { try driver.modify(ann, [.comment: "later"]) },
      try driver.read(.comment, of: ann))
  }

  static func afterBadValue(_ driver: any Driver) throws -> String {
    let ann = try driver.add(.ann)
    return seen(
      try outcome { try driver.modify(ann, [.comment: "new", .server: "no host"]) },
      "“\(try driver.read(.comment, of: ann))”")
  }

  static func deletedMeanwhile(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    try driver.remove(driver.find(.ann))
    return try outcome { try driver.modify(item, [.comment: "new"]) }
  }

  static func trash(_ driver: any Driver) throws -> String {
    try driver.remove(driver.add(.ann))
    let gone = try driver.first(.ann)
    let vault = driver.place.vault
    for removed in try vault.trash.items() { try vault.trash.restore(removed) }
    return seen(
      gone, try driver.first(.ann),
      try attempt { try driver.secret(of: driver.find(.ann)) })
  }

  static func deleteTwice(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    return seen(try outcome { try driver.remove(item) }, try outcome { try driver.remove(item) })
  }

  static func deleteNothing(_ driver: NativeDriver) throws -> String {
    // NULL is not an item.
    try outcome { try driver.remove(handle: nil) }
  }

  static func referenceAfterDeletion(_ driver: NativeDriver) throws -> String {
    let item = try driver.add(.ann)
    try driver.remove(item)
    // It has its last owner yet, and loses it when it goes.
    return try outcome { try driver.retainAndRelease(item) }
  }

  // MARK: References

  static func rename(_ driver: any Driver) throws -> String {
    let added = try driver.add(.ann)
    let found = try driver.find(.ann)
    try driver.modify(found, [.account: "zoe", .server: "new.example.com"])
    return seen(
      try driver.read(.account, of: added), try driver.read(.account, of: found),
      try driver.secret(of: added))
  }

  static func revision(_ driver: any VaultDriver) throws -> String {
    let item = try driver.add(.ann)
    let known = try driver.revision(of: item)
    try driver.modify(driver.find(.ann), [.comment: "first"])
    return seen(
      try outcome { try driver.modify(item, [.comment: "second"], ifRevision: known) },
      try outcome {
        try driver.modify(item, [.comment: "second"], ifRevision: driver.revision(of: item))
      },
      try driver.read(.comment, of: item))
  }

  // MARK: In Swift alone

  static func history(_ driver: SwiftDriver) throws -> String {
    let item = try driver.add(.ann, secret: "one")
    for secret in ["two", "three", "four"] { try driver.modify(item, [:], secret: secret) }
    let previous = try driver.vault.history.entries(of: driver.known(item), withSecrets: true)
    try driver.vault.history.revert(driver.known(item), to: previous[1])
    return seen(
      previous.map { String(decoding: $0.secret?.array ?? [], as: UTF8.self) }
        .joined(separator: " "), try driver.secret(of: item))
  }

  /// Counts the events of a change by kind.
  static func eventInC(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann, secret: "one")
    var counts: [Int32] = [0, 0, 0]
    return try unsafe counts.withUnsafeMutableBufferPointer { counts in
      let callback: VaultCallback = { event, _, context in
        let kinds = [kVaultDeleteEvent, kVaultAddEvent, kVaultUpdateEvent]
        // The context is the numbers above, as long as the callback is installed.
        if let kind = kinds.firstIndex(where: { event == VaultEventKind($0) }) {
          unsafe context?.assumingMemoryBound(to: Int32.self)[kind] += 1
        }
        return 0
      }
      let mask = VaultEventMask(
        1 << kVaultDeleteEvent | 1 << kVaultAddEvent | 1 << kVaultUpdateEvent)
      try check(unsafe VaultAddCallback(callback, mask, counts.baseAddress))
      defer { unsafe VaultRemoveCallback(callback) }
      try driver.modify(item, [:], secret: "two")
      return unsafe "\(counts[0]) deleted, \(counts[1]) added, \(counts[2]) updated"
    }
  }

  static func event(_ driver: SwiftDriver) throws -> String {
    let item = try driver.add(.ann)
    let events = Events()
    let observation = driver.vault.events.observe { events.write($0) }
    try driver.modify(item, [.account: "zoe"], secret: "two")
    observation.cancel()
    return events.names
  }
}
