import VaultAdministration
import VaultModel

/// Slots as text for people.
enum SlotText {
  /// Returns the line of a slot: `slot 1: passphrase laptop, created 2026-01-01T00:00:00Z, 3 passes
  /// over 256 MiB`.
  static func line(_ slot: SlotInformation) -> String {
    let name = slot.name.isEmpty ? "" : " \(slot.name)"
    let cost = slot.cost.map { ", \(passes($0.passes)) over \($0.memoryKiB / 1024) MiB" } ?? ""
    return "slot \(slot.id): \(slot.kind.rawValue)\(name), created \(slot.created.rfc3339)\(cost)"
  }

  /// Returns a cost with the time that it takes: `argon2id 3 passes, 256 MiB, 0.52 s`.
  static func cost(_ cost: PassphraseCost, _ duration: Duration) -> String {
    let hundredths = Int(duration / .milliseconds(10))
    let fraction = hundredths % 100
    let seconds = "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    return "argon2id \(passes(cost.passes)), \(cost.memoryKiB / 1024) MiB, \(seconds) s"
  }

  private static func passes(_ count: Int) -> String {
    count == 1 ? "1 pass" : "\(count) passes"
  }
}

extension JSONWriter {
  mutating func field(_ name: String, _ slots: [SlotInformation]) throws(VaultError) {
    try array(name, slots) { (slot, json) throws(VaultError) in try json.value(slot) }
  }

  mutating func field(_ name: String, _ slot: SlotInformation) throws(VaultError) {
    try self.name(name)
    try value(slot)
  }

  private mutating func value(_ slot: SlotInformation) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("id", slot.id)
      try json.field("kind", slot.kind.rawValue)
      try json.field("name", slot.name)
      try json.field("created", slot.created.rfc3339)
      if let cost = slot.cost {
        try json.field("memory_kib", cost.memoryKiB)
        try json.field("passes", cost.passes)
      }
    }
  }
}
