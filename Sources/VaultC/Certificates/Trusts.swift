public import CVault
import KeychainServices
import VaultModel

// Each reference is what `vault_sectrust.h` says of it; it is looked up, and not kept. Places are
// written last.

/// Returns the type of trusts; the contract is in `vault_sectrust.h`, as for all of these.
@c @implementation
public func VaultTrustGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.trust.rawValue) }

/// Creates the trust in a chain.
@c @implementation
public func VaultTrustCreateWithCertificates(
  _ certificates: VaultCFTypeRef?, _ policies: VaultCFTypeRef?,
  _ trust: UnsafeMutablePointer<VaultTrustRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(trust)
    let chain = try CFObjects.handles(certificates, CertificateHandle.self)
    let asked = unsafe policies == nil ? [] : try CFObjects.handles(policies, PolicyHandle.self)
    let made = try KeychainTrust(chain.map(\.certificate), asked.map(\.policy))
    unsafe place.pointee = TrustHandle(made).givenOut()
  }
}

/// Sets the policies.
@c @implementation
public func VaultTrustSetPolicies(_ trust: VaultTrustRef?, _ policies: VaultCFTypeRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let trust = try TrustHandle.at(trust).trust
    trust.setPolicies(try CFObjects.handles(policies, PolicyHandle.self).map(\.policy))
  }
}

/// Sets the authorities.
@c @implementation
public func VaultTrustSetAnchorCertificates(
  _ trust: VaultTrustRef?, _ anchors: VaultCFArrayRef?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let trust = try TrustHandle.at(trust).trust
    guard unsafe anchors != nil else { return trust.setAnchors(nil) }
    let handles = try CFObjects.handles(of: anchors, CertificateHandle.self)
    trust.setAnchors(handles.map(\.certificate))
  }
}

/// Sets whether the system's authorities do not count.
@c @implementation
public func VaultTrustSetAnchorCertificatesOnly(_ trust: VaultTrustRef?, _ only: UInt8) -> Int32 {
  keychainStatus { () throws(VaultError) in
    try TrustHandle.at(trust).trust.setAnchorsOnly(only != 0)
  }
}

/// Sets the time to evaluate for.
@c @implementation
public func VaultTrustSetVerifyDate(_ trust: VaultTrustRef?, _ date: VaultCFDateRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let trust = try TrustHandle.at(trust).trust
    // The date is the caller's; its type is looked up.
    guard unsafe VaultCFGetTypeID(UnsafeRawPointer(date)) == VaultCFDateGetTypeID(),
      let time = Timestamp(absoluteTime: unsafe VaultCFDateGetAbsoluteTime(date))
    else { throw VaultError(.invalidArgument, "not a date") }
    trust.setTime(time)
  }
}

/// Evaluates the chain, with the gravest reason against it.
@c @implementation
public func VaultTrustEvaluateWithError(
  _ trust: VaultTrustRef?, _ error: UnsafeMutablePointer<VaultCFErrorRef?>?
) -> Bool {
  var (code, text) = (Int32(0), "")
  let status = keychainStatus { () throws(VaultError) in
    do throws(VaultError) {
      let found = try TrustHandle.at(trust).trust.evaluate()
      if !found.isTrusted { (code, text) = (found.status, found.text) }
    } catch {
      text = error.text
      throw error
    }
  }
  if status != 0 { code = status }
  // The place is the caller's, or NULL.
  unsafe error?.pointee = code == 0 ? nil : ErrorHandle(code, text).givenOut()
  return code == 0
}

/// Evaluates the chain.
@c @implementation
public func VaultTrustEvaluate(
  _ trust: VaultTrustRef?, _ result: UnsafeMutablePointer<VaultTrustResultType>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(result)
    let verdict = try TrustHandle.at(trust).trust.evaluate().verdict
    unsafe place.pointee = verdict.keychainNumber
  }
}

/// Returns the result of the last evaluation.
@c @implementation
public func VaultTrustGetTrustResult(
  _ trust: VaultTrustRef?, _ result: UnsafeMutablePointer<VaultTrustResultType>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(result)
    let findings = try TrustHandle.at(trust).trust.findings
    unsafe place.pointee = findings?.verdict.keychainNumber ?? 0
  }
}

/// Returns the number of certificates.
@c @implementation
public func VaultTrustGetCertificateCount(_ trust: VaultTrustRef?) -> VaultCFIndex {
  // The reference is only taken apart.
  unsafe TrustHandle.find(UnsafeRawPointer(trust))?.trust.certificates.count ?? 0
}

/// Returns one of the certificates.
@c @implementation
public func VaultTrustGetCertificateAtIndex(
  _ trust: VaultTrustRef?, _ index: VaultCFIndex
) -> VaultCertificateRef? {
  // The reference is only taken apart.
  guard let handle = unsafe TrustHandle.find(UnsafeRawPointer(trust)) else { return nil }
  let certificates = handle.trust.certificates
  return certificates.indices.contains(index) ? unsafe handle.lend(certificates[index]) : nil
}

/// Copies the certificates.
@c @implementation
public func VaultTrustCopyCertificateChain(_ trust: VaultTrustRef?) -> VaultCFArrayRef? {
  unsafe copied { () throws(VaultError) in
    let certificates = try TrustHandle.at(trust).trust.certificates
    return try unsafe CFObjects.array(ofHandles: certificates.map { CertificateHandle($0) })
  }
}
