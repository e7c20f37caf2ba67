public import CVault
import KeychainServices
import TLSCredentials
import VaultModel

// Each reference is what `vault_sectrust.h` says of it; it is looked up, and not kept.

/// Returns the type of certificates; the contract is in `vault_sectrust.h`, as for all of these.
@c @implementation
public func VaultCertificateGetTypeID() -> VaultCFTypeID {
  VaultCFTypeID(HandleKind.certificate.rawValue)
}

/// Reads a certificate.
@c @implementation
public func VaultCertificateCreateWithData(
  _ allocator: VaultCFAllocatorRef?, _ data: VaultCFDataRef?
) -> VaultCertificateRef? {
  unsafe created { () throws(VaultError) in
    guard let der = unsafe CFObjects.bytes(of: data) else { return nil }
    return CertificateHandle(try Certificate(der: der))
  }
}

/// Copies the encoding.
@c @implementation
public func VaultCertificateCopyData(_ certificate: VaultCertificateRef?) -> VaultCFDataRef? {
  unsafe copied { () throws(VaultError) in
    try unsafe CFObjects.data(CertificateHandle.at(certificate).certificate.der)
  }
}

/// Copies the summary of the subject.
@c @implementation
public func VaultCertificateCopySubjectSummary(
  _ certificate: VaultCertificateRef?
) -> VaultCFStringRef? {
  unsafe copied { () throws(VaultError) in
    try unsafe CFObjects.string(CertificateHandle.at(certificate).certificate.subject.summary)
  }
}

/// Returns the type of policies.
@c @implementation
public func VaultPolicyGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.policy.rawValue) }

/// Makes a policy for TLS.
@c @implementation
public func VaultPolicyCreateSSL(
  _ server: UInt8, _ hostname: VaultCFStringRef?
) -> VaultPolicyRef? {
  unsafe created { () throws(VaultError) in
    // A text, or nothing: anything else must not mean any host.
    let host = unsafe CFObjects.text(of: UnsafeRawPointer(hostname))
    guard unsafe host != nil || hostname == nil else { return nil }
    return PolicyHandle(.ssl(isServer: server != 0, host: host))
  }
}

/// Makes a policy that requires a valid chain.
@c @implementation
public func VaultPolicyCreateBasicX509() -> VaultPolicyRef? {
  unsafe created { PolicyHandle(.basic) }
}

/// Makes a policy that requires that no certificate was revoked.
@c @implementation
public func VaultPolicyCreateRevocation(_ flags: VaultCFOptionFlags) -> VaultPolicyRef? {
  unsafe created { () throws(VaultError) in
    PolicyHandle(try KeychainTrustPolicy(revocationFlags: flags))
  }
}

/// Returns the type of errors.
@c @implementation
public func VaultCFErrorGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.error.rawValue) }

/// Returns the status of an error.
@c @implementation
public func VaultCFErrorGetCode(_ error: VaultCFErrorRef?) -> VaultCFIndex {
  // The reference is only taken apart.
  unsafe VaultCFIndex(ErrorHandle.find(UnsafeRawPointer(error))?.status ?? 0)
}

/// Returns the domain of statuses.
@c @implementation
public func VaultCFErrorGetDomain(_ error: VaultCFErrorRef?) -> VaultCFStringRef? {
  // The reference is only taken apart; the text is a constant that is never freed.
  guard unsafe ErrorHandle.find(UnsafeRawPointer(error)) != nil else { return nil }
  return unsafe VaultCFConstantString("NSOSStatusErrorDomain")
}

/// Copies the reasons of an error.
@c @implementation
public func VaultCFErrorCopyDescription(_ error: VaultCFErrorRef?) -> VaultCFStringRef? {
  unsafe copied { () throws(VaultError) in
    try unsafe CFObjects.string(ErrorHandle.at(error).text)
  }
}

/// Copies what is known of an error.
@c @implementation
public func VaultCFErrorCopyUserInfo(_ error: VaultCFErrorRef?) -> VaultCFDictionaryRef? {
  unsafe copied { () throws(VaultError) in
    let text = try ErrorHandle.at(error).text
    let info = try OwnedObject([("NSLocalizedDescription", try OwnedObject(.text(text)))])
    // A dictionary is an object of this type.
    return unsafe OpaquePointer(info.givenOut())
  }
}
