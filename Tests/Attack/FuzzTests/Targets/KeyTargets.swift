import SecureMemory
import TestSupport
import VaultModel

@testable import VaultCrypto

// No mutation finds the checksum that a changed input needs: each is also tried with the right one.
extension FuzzTarget {
  static let keyFile = FuzzTarget(name: "key-file") { bytes in
    try outcome(keyFile: bytes) || outcome(keyFile: bytes + Hash.checksum(bytes))
  }

  private static func outcome(keyFile bytes: [UInt8]) throws -> Outcome {
    try roundTrip(bytes, refusing: .invalidData) { (bytes) throws(VaultError) in
      try bytes.withSpan { (bytes) throws(VaultError) in try KeyFile(decoding: bytes) }
    } write: { file in
      file.encoded().array
    }
  }

  /// 20 bytes are a code themselves; anything else is its text.
  static let recoveryCode = FuzzTarget(name: "recovery-code") { bytes in
    if bytes.count == 20 {
      let code = RecoveryCode(bytes: Secret(bytes))
      let again = try reading { () throws(VaultError) in try RecoveryCode(reading: code.text()) }
      try require(again?.bytes.array == bytes, "a code's text is another code's")
    }
    let code = try reading(refusing: .invalidData) { () throws(VaultError) in
      try RecoveryCode(reading: Secret(bytes))
    }
    guard let code else { return .refused }
    let again = try reading { () throws(VaultError) in try RecoveryCode(reading: code.text()) }
    try require(again?.bytes.array == code.bytes.array, "a code's text is another code's")
    return .read
  }

  static let ident = FuzzTarget(name: "ident") { bytes in
    let checked = bytes + Hash.checksum(bytes)
    return try roundTrip(bytes, refusing: .damaged, read: decode, write: \.encoded)
      || roundTrip(checked, refusing: .damaged, read: decode, write: \.encoded)
  }

  private static func decode(ident bytes: [UInt8]) throws(VaultError) -> Ident {
    try Ident(decoding: bytes)
  }

  static let slot = FuzzTarget(name: "slot") { bytes in
    let id: UInt32 = 3
    return try outcome(slot: bytes, id: id)
      || outcome(slot: bytes + Hash.checksum([3, 0, 0, 0] + bytes), id: id)
  }

  /// Returns the outcome of a slot; one of an unknown kind is kept as its bytes, and never written
  /// anew.
  private static func outcome(slot bytes: [UInt8], id: UInt32) throws -> Outcome {
    let slot = try reading(refusing: .damaged) { () throws(VaultError) in
      try Slot(decoding: bytes, id: id)
    }
    guard let slot else { return .refused }
    try require(!slot.kind.isKnown || slot.encoded == bytes, "read, and written as other bytes")
    try require(slot.name.utf8.count <= Slot.longestName, "a name that is too long")
    if let cost = slot.cost {
      let limits = try reading { () throws(VaultError) in
        try PassphraseCost(memoryKiB: cost.memoryKiB, passes: cost.passes)
      }
      try require(limits != nil, "a cost beyond the limits")
    }
    let renamed = try reading { () throws(VaultError) in
      try Slot(decoding: Slot.renamed(bytes, id: id, to: "other"), id: id)
    }
    try require(
      renamed?.name == "other" && renamed?.kind == slot.kind && renamed?.salt == slot.salt,
      "renamed, and another slot")
    return .read
  }
}
