public import CVault
import CredentialVault
import TLSCredentials
import VaultModel

// Each pointer is what `vault_tls.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Accepts a certificate; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_accept(
  _ vault: OpaquePointer?, _ space: OpaquePointer?, _ evaluation: OpaquePointer?, _ end: UInt64,
  _ persistence: vault_persistence_t, _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let space = try AttributesHandle.at(space).attributes.space()
    let evaluation = try TrustEvaluationHandle.at(evaluation).evaluation
    let stored = try handle.vault.trust.accept(
      evaluation, for: space, until: Input.time(end), persistence: Persistence(persistence))
    return (ItemHandle.Content(stored), handle)
  }
}

/// Records the key of the first use; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_record_first_use(
  _ vault: OpaquePointer?, _ space: OpaquePointer?, _ evaluation: OpaquePointer?,
  _ is_change: Bool, _ end: UInt64, _ persistence: vault_persistence_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let space = try AttributesHandle.at(space).attributes.space()
    let evaluation = try TrustEvaluationHandle.at(evaluation).evaluation
    let stored = try handle.vault.trust.recordFirstUse(
      evaluation, for: space, replacing: is_change ? evaluation.knownKey : nil,
      until: Input.time(end), persistence: Persistence(persistence))
    return (ItemHandle.Content(stored), handle)
  }
}

/// Pins public keys; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_pin(
  _ vault: OpaquePointer?, _ space: OpaquePointer?, _ pins: UnsafePointer<CChar>?, _ count: Int,
  _ options: vault_trust_options_t, _ end: UInt64, _ persistence: vault_persistence_t,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOutIfWanted(at: item) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let space = try AttributesHandle.at(space).attributes.space()
    let options = try TrustOptions(options, among: .ofPins)
    let text = try unsafe Input.text(required(pins), count)
    var pins = try PinSet(text: text, receivedAt: .now())
    if options.contains(.withSubdomains) { pins.includesSubdomains = true }
    pins.isReportOnly = options.contains(.reportOnly)
    if let end = try Input.time(end) { pins.expires = end }
    let stored = try handle.vault.trust.pin(
      pins, for: space, persistence: Persistence(persistence))
    return (ItemHandle.Content(stored), handle)
  }
}

/// Copies the pins of a server; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_copy_pins(
  _ vault: OpaquePointer?, _ space: OpaquePointer?, _ pins: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let space = try AttributesHandle.at(space).attributes.space()
    let place = try unsafe required(pins)
    guard let pins = try handle.vault.trust.pins(for: space) else {
      throw VaultError(.itemNotFound, "trust: \(space) has no pins")
    }
    unsafe place.pointee = try vault_buffer_t(copying: pins.curlText)
  }
}
