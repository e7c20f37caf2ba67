import FuzzTesting
import SecureMemory
import TestSupport
import VaultModel

@testable import OneTimePasswords
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

  /// The key of a one-time password: an address, parameters, or the key alone.
  static let oneTimePassword = FuzzTarget(name: "one-time-password") { bytes in
    let password = try reading(refusing: .invalidData, .unsupported) { () throws(VaultError) in
      try OneTimePassword(reading: Secret(bytes))
    }
    guard let password else { return .refused }
    for time in [Timestamp(seconds: 0), Timestamp(milliseconds: .max)] {
      let digits = try reading { () throws(VaultError) in try password.password(at: time).array }
      try require(digits?.count == password.digits, "a password of another length")
      try require(digits?.allSatisfy { (0x30...0x39).contains($0) } == true, "what is no digit")
      try require((1...password.period).contains(password.remaining(at: time)), "no time remains")
    }
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
