import SecureMemory
package import TestSupport
import VaultCrypto
package import VaultModel

package import SealedTree

/// The content of a vault, under the names and in the forms of the listings.
package enum Listing {
  /// Returns an item's values as text, without those that are absent; secrets still sealed.
  package static func fields(_ record: ItemRecord) -> [String: String] {
    var fields = attributes(record.item)
    fields["sealedSecret"] = record.sealedSecret.hex
    fields["largeSecret"] = record.largeSecret?.encoded.hex ?? ""
    for (attribute, sealed) in record.furtherSecrets {
      let name = "\(attribute)"
      fields["sealed" + name.prefix(1).uppercased() + name.dropFirst()] = sealed.hex
    }
    for (name, value) in record.item.custom { fields["custom-\(name)"] = value }
    return fields.filter { !$0.value.isEmpty && $0.value != "0" }
  }

  /// Returns a previous secret's values as text, without those that are absent; the secret still
  /// sealed.
  package static func fields(_ record: PreviousRecord) -> [String: String] {
    let (item, value) = (Item(record.key), record.value(secret: nil))
    var fields = attributes(item)
    for name in ["created", "modified", "revision"] { fields[name] = nil }
    fields["id"] = record.item.bytes.hex
    fields["secretKind"] = "\(value.kind.rawValue)"
    fields["set"] = "\(value.set.milliseconds)"
    fields["replaced"] = "\(value.replaced.milliseconds)"
    fields["expires"] = "\(value.expires?.milliseconds ?? 0)"
    fields["removed"] = "\(record.removed?.milliseconds ?? 0)"
    fields["keptUntil"] = "\(value.keptUntil?.milliseconds ?? 0)"
    fields["sealedSecret"] = record.sealedSecret.hex
    fields["largeSecret"] = record.largeSecret?.encoded.hex ?? ""
    return fields.filter { !$0.value.isEmpty && $0.value != "0" }
  }

  package static func fields(_ record: DefaultRecord) -> [String: String] {
    let space = record.space
    return [
      "server": space.host.name, "account": record.user, "realm": space.realm,
      "protocol": space.protocol.rawValue, "method": space.authenticationMethod.rawValue,
      "port": "\(space.port)",
    ].filter { !$0.value.isEmpty && $0.value != "0" }
  }

  package static func fields(_ record: PolicyRuleRecord) -> [String: String] {
    let rule = record.rule
    func choice(_ condition: Bool?, _ yes: Int) -> String {
      condition.map { "\($0 ? yes : 3 - yes)" } ?? ""
    }
    return [
      "id": rule.id.bytes.hex, "position": "\(record.position)", "name": rule.name,
      "note": rule.note, "hostPattern": rule.host?.description ?? "",
      "protocol": rule.protocol?.rawValue ?? "", "port": "\(rule.port ?? 0)",
      "method": rule.authenticationMethod?.rawValue ?? "",
      "serverOrProxy": choice(rule.isProxy, 2),
      "secure": choice(rule.receivesCredentialSecurely, 1),
      "loopback": choice(rule.isLoopback, 1),
      "highestPersistence":
        rule.maximumPersistence == .permanent ? "" : "\(rule.maximumPersistence.rawValue + 1)",
      "lifetime": "\(rule.lifetime?.wholeMilliseconds ?? 0)",
      "afterAcceptance": rule.persistOnlyAfterAcceptance ? "1" : "",
      "refuse": rule.refuse ? "1" : "", "ntlm": choice(rule.allowsNTLM, 1),
      "negotiateInClear": rule.allowsNegotiateInClear ? "1" : "",
    ].filter { !$0.value.isEmpty && $0.value != "0" }
  }

  /// Returns the policy's rules, as in the listings.
  package static func json(_ policy: PersistencePolicy) -> Set<JSON> {
    Set(
      policy.rules.enumerated().map { index, rule in
        .object(json(fields(PolicyRuleRecord(rule, position: UInt32(index + 1)))))
      })
  }

  private static func attributes(_ item: Item) -> [String: String] {
    var id: [UInt8] = []
    item.id.append(to: &id)
    let flags = (item.isInvisible ? 1 : 0) | (item.isNegative ? 2 : 0)
    return [
      "server": item.server.name, "account": item.account, "realm": item.realm,
      "protocol": item.protocol.rawValue, "method": item.authenticationMethod.rawValue,
      "port": "\(item.port)", "path": item.path, "id": id.hex,
      "created": "\(item.created.milliseconds)", "modified": "\(item.modified.milliseconds)",
      "revision": "\(item.revision)", "secretKind": "\(item.secretKind.rawValue)",
      "label": item.label, "comment": item.comment, "description": item.kind,
      "creator": "\(item.creator)", "type": "\(item.type)", "flags": "\(flags)",
      "expires": "\(item.expires?.milliseconds ?? 0)", "accountDomain": item.accountDomain,
      "origin": item.origin,
      "secretChanged":
        item.secretChanged == item.created ? "" : "\(item.secretChanged.milliseconds)",
      "keptUntil": "\(item.keptUntil?.milliseconds ?? 0)",
    ]
  }

  // MARK: JSON

  private static let numbers: Set = [
    "port", "created", "modified", "revision", "secretKind", "creator", "type", "flags", "expires",
    "secretChanged", "keptUntil", "position", "serverOrProxy", "secure", "loopback",
    "highestPersistence", "lifetime", "afterAcceptance", "refuse", "ntlm", "negotiateInClear",
  ]

  private static func json(_ fields: [String: String]) -> [String: JSON] {
    var object: [String: JSON] = [:]
    for (name, value) in fields where !value.isEmpty {
      guard numbers.contains(name), let number = Int64(value) else {
        object[name] = .text(value)
        continue
      }
      if number != 0 { object[name] = .number(number) }
    }
    return object
  }

  /// Returns an item with its secrets open.
  package static func json(_ item: Item) -> JSON {
    var object = json(attributes(item))
    object["secret"] = .text(item.secret?.array.hex ?? "missing")
    for attribute in Attribute.furtherSecrets {
      if let secret = item[secret: attribute] { object["\(attribute)"] = .text(secret.array.hex) }
    }
    if !item.custom.isEmpty { object["custom"] = .object(item.custom.mapValues(JSON.text)) }
    return .object(object)
  }

  package static func json(_ space: ProtectionSpace, user: String) -> JSON {
    .object(json(fields(DefaultRecord(space: space, user: user))))
  }
}

extension Item {
  fileprivate init(_ key: Key) {
    self.init()
    self.key = key
  }
}
