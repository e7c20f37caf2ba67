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
      "modify.merge", .modify, "Attributes that are not named are kept.",
      by: .any(merge), vault: .same("new, Team Git, 8443, /team, label, one"),
      compatible: .same("new, Team Git, 8443, /team, label, one")),
    Row(
      "modify.attributes.none", .modify, "Without a list of attributes, only the secret changes.",
      by: .any(secretAlone), vault: .same("two, /team, label"),
      compatible: .same("two, /team, label")),
    Row(
      "modify.data.null", .modify, "NULL data keep the secret; the length is ignored.",
      by: .native(nullSecret), .keychain(KeychainModifying.nullData),
      vault: .differs("NULL with a length is an invalid argument.", "invalid-argument, one"),
      compatible: .same("ok, new, one"),
      why: "A length without bytes is a mistake, but keychain programs may rely on it.",
      except: [.swift: "a secret has its own length"]),
    Row(
      "modify.data.empty", .modify, "Data of length 0 make the secret empty.",
      by: .any(emptySecret), vault: .same("“”"), compatible: .same("“”")),
    Row(
      "modify.no-op", .modify,
      "A call that changes nothing still writes the item and updates its date.",
      by: .vault(noOp), .keychain(KeychainModifying.noOp),
      vault: .differs("Nothing is written, and no date changes.", "same revision, same date"),
      compatible: .differs("Nothing is written, and no date changes.", "same revision, same date"),
      why: "A date says when something changed, and a write must wait for the disk."),
    Row(
      "modify.twice", .modify, "Of two values for one attribute, the last wins.",
      by: .swift(twice), .native(twiceInC), .keychain(KeychainModifying.twice),
      vault: .same("last"), compatible: .same("last")),
    Row(
      "modify.number.empty", .modify,
      "For ModifyContent, a number of length 0 is an invalid value; the other function clears it.",
      by: .any(clearedNumber), .keychain(KeychainModifying.emptyNumber),
      vault: .differs("0 and empty text unset an attribute.", "“”"),
      compatible: .same("invalid-value, ok, “”"), why: "Swift and native C have one function."),
    Row(
      "modify.number.empty-key", .modify,
      "A number of the key cannot be cleared: errSecMissingValue.",
      by: .any(clearedPort), .keychain(KeychainModifying.emptyKeyNumber),
      vault: .differs("0 unsets it.", "“”"), compatible: .same("missing-value, 8443"),
      why: "Any value that can be added can also be set by a change."),
    Row(
      "modify.number.width", .modify,
      "A number may have 1, 2 or 4 bytes; any other length is errSecInvalidValue.",
      by: .keychain(KeychainModifying.widths),
      vault: .inexpressible("Numbers have one width."),
      compatible: .same("7, 519, 117835012, invalid-value, invalid-value")),
    Row(
      "modify.unknown-attribute", .modify,
      "An attribute that the class lacks is errSecNoSuchAttr; ModifyContent detects it late and fails differently.",
      by: .native { try FindRows.unknownAttribute($0) },
      .keychain(KeychainModifying.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .differs(
        "errSecNoSuchAttr from both, and nothing is changed.",
        "no-such-attribute, no-such-attribute, “”"),
      why: "A list is checked before anything is changed.",
      except: [.swift: "changes are an enumeration"]),
    Row(
      "modify.label", .modify, "The label's tag may be 'labl' or 7.",
      by: .any { driver in
        let item = try driver.add(.ann)
        try driver.modify(item, [.label: "new"])
        return try driver.read(.label, of: item)
      }, .keychain(KeychainModifying.label),
      vault: .same("new"), compatible: .same("new, newer, newer")),
    Row(
      "modify.label.kept", .modify, "The label is not regenerated when the server changes.",
      by: .any(labelKept), vault: .same("new.example.com, git.example.com"),
      compatible: .same("new.example.com, git.example.com")),
    Row(
      "modify.dates", .modify, "The modification date is set to now; the creation date is kept.",
      by: .any(dates), vault: .same("created kept, modified now"),
      compatible: .same("created kept, modified now")),
    Row(
      "modify.date.created", .modify,
      "A given creation date is written, although the header calls it read-only.",
      by: .native(givenDate), .keychain(KeychainModifying.created),
      vault: .differs("Dates are read-only.", "invalid-argument"),
      compatible: .differs("errSecReadOnlyAttr.", "read-only-attribute, kept"),
      why: "The date says when the vault got the item, and only the vault knows that.",
      except: [.swift: "there is no such change"]),
    Row(
      "modify.date.modified", .modify,
      "A given modification date is ignored without an error.",
      by: .native(givenDate), .keychain(KeychainModifying.modified),
      vault: .differs("Dates are read-only.", "invalid-argument"),
      compatible: .differs("errSecReadOnlyAttr.", "read-only-attribute, kept"),
      why: "An ignored request must be reported.", except: [.swift: "there is no such change"]),
    Row(
      "modify.collision", .modify,
      "A change to another item's key is errSecDuplicateItem, and both items are unchanged.",
      by: .any(collision), vault: .same("duplicate-item, ann, bob, one, two"),
      compatible: .same("duplicate-item, ann, bob, one, two")),
    Row(
      "modify.collision.candidates", .modify, "The error does not say which items collide.",
      by: .swift(collisionCandidates),
      vault: .differs("The error contains the other item and the one to be changed.", "bob ann"),
      compatible: .inexpressible("A status is a number."),
      why: "The user can be asked which one to keep.",
      except: [.native: "a status is a number"]),
    Row(
      "modify.collision.later", .modify,
      "The reference keeps the failed attributes, which make later changes fail.",
      by: .any(afterCollision),
      vault: .differs("Nothing is left behind.", "duplicate-item, ok, later"),
      compatible: .differs("Nothing is left behind.", "duplicate-item, ok, later"),
      why: "A function that fails changes nothing."),
    Row(
      "modify.bad-value.later", .modify,
      "A bad attribute in a list leaves those before it pending.",
      by: .any(afterBadValue), .keychain(KeychainModifying.afterBadTag),
      vault: .differs("Nothing is left behind.", "invalid-argument, “”"),
      compatible: .differs("Nothing is left behind.", "no-such-attribute, ok, “”"),
      why: "A function that fails changes nothing."),
    Row(
      "modify.secret", .modify, "A new secret replaces the old one; everything else is kept.",
      by: .any(secretAlone), vault: .same("two, /team, label"),
      compatible: .same("two, /team, label")),
    Row(
      "modify.secret.history", .modify, "The old secret is gone.",
      by: .swift(history), .keychain(KeychainModifying.history),
      vault: .differs(
        "The last ten are kept, sealed, and can be restored.", "three two one, two"),
      compatible: .same("gone, two"),
      why: "A password that a person overwrote by mistake may be the only one that works.",
      except: [.native: "previous secrets are for Swift and `vaultctl`"]),
    .foreign(
      "modify.secret.unread", .modify,
      "A program that may not read a secret may overwrite it.",
      because: "A vault is either open or not; there are no rights to single items."),
    .foreign(
      "modify.floating", .modify, "An item in no keychain cannot be changed: errSecNoSuchKeychain.",
      because: "A reference is always to a stored item."),
    Row(
      "modify.deleted", .modify,
      "Changing an item that was deleted meanwhile is one of three errors.",
      by: .any(deletedMeanwhile), vault: .differs("Always the same error.", "item-not-found"),
      compatible: .differs("Always errSecItemNotFound.", "item-not-found"),
      why: "One state has one result."),
    Row(
      "modify.event", .modify, "A change is reported as a deletion and an addition.",
      by: .swift(event), .keychain(eventInC), vault: .differs("As one change.", "modified"),
      compatible: .differs("As one change.", "0 deleted, 0 added, 1 updated"),
      why: "It is the same item.",
      except: [
        .native: AddRows.callbacks, .keychainSession: AddRows.addsPermanently,
      ], alone: true),
    Row(
      "modify.rename", .modify,
      "A persistent reference holds the key, and breaks when the key changes.",
      by: .any(rename), vault: .differs("References remain valid.", "zoe, zoe, one"),
      compatible: .differs("References remain valid.", "zoe, zoe, one"),
      why: "They hold an identity that never changes."),
    Row(
      "modify.revision", .modify,
      "There is no check whether somebody else changed the item meanwhile.",
      by: .vault(revision),
      vault: .differs("A change may name the expected revision.", "conflict, ok, second"),
      compatible: .inexpressible("The functions have no such parameter."),
      why: "Two programs that renew a token must not undo each other's change."),
    Row(
      "delete.done", .modify, "A deleted item is no longer found.",
      by: .any { driver in
        try driver.remove(driver.add(.ann))
        return try driver.first(.ann)
      }, vault: .same("item-not-found"), compatible: .same("item-not-found")),
    Row(
      "delete.trash", .modify, "A deleted item is gone, and so is its password.",
      by: .any(trash),
      vault: .differs(
        "It stays in the vault's trash for 30 days, sealed and hidden from lookups; `restore`, or"
          + " `vaultctl trash` for C, restores it.", "item-not-found, ann, one"),
      compatible: .same("item-not-found, item-not-found, item-not-found"),
      why: "One mistake, or one refusal by a server, must not destroy what a person typed.",
      except: [.session: "data that is only in memory is gone"]),
    Row(
      "delete.nothing", .modify, "NULL, or anything that is not an item, is errSecInvalidItemRef.",
      by: .native(deleteNothing), .keychain(KeychainModifying.deleteNothing),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("invalid-item"),
      why: "One status covers every meaningless argument.",
      except: [.swift: "an item is a value, and there is always one"]),
    Row(
      "delete.twice", .modify, "Deleting through a stale reference is one of three errors.",
      by: .any(deleteTwice), vault: .differs("Always the same error.", "ok, item-not-found"),
      compatible: .differs("Always errSecItemNotFound.", "ok, item-not-found"),
      why: "One state has one result."),
    Row(
      "delete.reference", .modify, "The reference must still be released after the deletion.",
      by: .keychain(KeychainModifying.referenceAfterDeletion), .native(referenceAfterDeletion),
      vault: .same("ok"), compatible: .same("ok"), except: [.swift: "values need not be released"]),
    .foreign(
      "delete.extended-attributes", .modify, "Extended attributes are deleted with the item.",
      because: "Custom attributes are part of the item."),
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
