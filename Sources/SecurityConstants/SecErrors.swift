// The statuses that no function of this module returns, with the numbers of Apple's open header
// (SecBase.h), for code that names them.

/// Core foundation unknown.
public let errSecCoreFoundationUnknown: OSStatus = -4960

/// Key is sensitive.
public let errSecKeyIsSensitive: OSStatus = -25258

/// Multiple priv keys.
public let errSecMultiplePrivKeys: OSStatus = -25259

/// Passphrase required.
public let errSecPassphraseRequired: OSStatus = -25260

/// Invalid password ref.
public let errSecInvalidPasswordRef: OSStatus = -25261

/// Invalid trust settings.
public let errSecInvalidTrustSettings: OSStatus = -25262

/// No trust settings.
public let errSecNoTrustSettings: OSStatus = -25263

/// Pkcs12 verify failure.
public let errSecPkcs12VerifyFailure: OSStatus = -25264

/// Not signer.
public let errSecNotSigner: OSStatus = -26267

/// Insufficient client ID.
public let errSecInsufficientClientID: OSStatus = -67586

/// Device reset.
public let errSecDeviceReset: OSStatus = -67587

/// Device failed.
public let errSecDeviceFailed: OSStatus = -67588

/// Apple add app ACL subject.
public let errSecAppleAddAppACLSubject: OSStatus = -67589

/// Apple public key incomplete.
public let errSecApplePublicKeyIncomplete: OSStatus = -67590

/// Apple signature mismatch.
public let errSecAppleSignatureMismatch: OSStatus = -67591

/// Apple invalid key start date.
public let errSecAppleInvalidKeyStartDate: OSStatus = -67592

/// Apple invalid key end date.
public let errSecAppleInvalidKeyEndDate: OSStatus = -67593

/// Conversion error.
public let errSecConversionError: OSStatus = -67594

/// Apple SSLv2 rollback.
public let errSecAppleSSLv2Rollback: OSStatus = -67595

/// Quota exceeded.
public let errSecQuotaExceeded: OSStatus = -67596

/// File too big.
public let errSecFileTooBig: OSStatus = -67597

/// Invalid database blob.
public let errSecInvalidDatabaseBlob: OSStatus = -67598

/// Invalid key blob.
public let errSecInvalidKeyBlob: OSStatus = -67599

/// Incompatible database blob.
public let errSecIncompatibleDatabaseBlob: OSStatus = -67600

/// Incompatible key blob.
public let errSecIncompatibleKeyBlob: OSStatus = -67601

/// No basic constraints.
public let errSecNoBasicConstraints: OSStatus = -67604

/// No basic constraints CA.
public let errSecNoBasicConstraintsCA: OSStatus = -67605

/// Invalid authority key ID.
public let errSecInvalidAuthorityKeyID: OSStatus = -67606

/// Invalid subject key ID.
public let errSecInvalidSubjectKeyID: OSStatus = -67607

/// Invalid key usage for policy.
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608

/// Invalid ID linkage.
public let errSecInvalidIDLinkage: OSStatus = -67610

/// Path length constraint exceeded.
public let errSecPathLengthConstraintExceeded: OSStatus = -67611

/// Invalid root.
public let errSecInvalidRoot: OSStatus = -67612

/// CRL expired.
public let errSecCRLExpired: OSStatus = -67613

/// CRL not valid yet.
public let errSecCRLNotValidYet: OSStatus = -67614

/// CRL not found.
public let errSecCRLNotFound: OSStatus = -67615

/// CRL server down.
public let errSecCRLServerDown: OSStatus = -67616

/// CRL bad URI.
public let errSecCRLBadURI: OSStatus = -67617

/// Unknown cert extension.
public let errSecUnknownCertExtension: OSStatus = -67618

/// Unknown CRL extension.
public let errSecUnknownCRLExtension: OSStatus = -67619

/// CRL not trusted.
public let errSecCRLNotTrusted: OSStatus = -67620

/// CRL policy failed.
public let errSecCRLPolicyFailed: OSStatus = -67621

/// IDP failure.
public let errSecIDPFailure: OSStatus = -67622

/// SMIME email addresses not found.
public let errSecSMIMEEmailAddressesNotFound: OSStatus = -67623

/// SMIME bad extended key usage.
public let errSecSMIMEBadExtendedKeyUsage: OSStatus = -67624

/// SMIME bad key usage.
public let errSecSMIMEBadKeyUsage: OSStatus = -67625

/// SMIME key usage not critical.
public let errSecSMIMEKeyUsageNotCritical: OSStatus = -67626

/// SMIME no email address.
public let errSecSMIMENoEmailAddress: OSStatus = -67627

/// SMIME subj alt name not critical.
public let errSecSMIMESubjAltNameNotCritical: OSStatus = -67628

/// SSL bad extended key usage.
public let errSecSSLBadExtendedKeyUsage: OSStatus = -67629

/// OCSP bad response.
public let errSecOCSPBadResponse: OSStatus = -67630

/// OCSP bad request.
public let errSecOCSPBadRequest: OSStatus = -67631

/// OCSP unavailable.
public let errSecOCSPUnavailable: OSStatus = -67632

/// OCSP status unrecognized.
public let errSecOCSPStatusUnrecognized: OSStatus = -67633

/// End of data.
public let errSecEndOfData: OSStatus = -67634

/// Network failure.
public let errSecNetworkFailure: OSStatus = -67636

/// OCSP not trusted to anchor.
public let errSecOCSPNotTrustedToAnchor: OSStatus = -67637

/// Record modified.
public let errSecRecordModified: OSStatus = -67638

/// OCSP signature error.
public let errSecOCSPSignatureError: OSStatus = -67639

/// OCSP no signer.
public let errSecOCSPNoSigner: OSStatus = -67640

/// OCSP responder malformed req.
public let errSecOCSPResponderMalformedReq: OSStatus = -67641

/// OCSP responder internal error.
public let errSecOCSPResponderInternalError: OSStatus = -67642

/// OCSP responder try later.
public let errSecOCSPResponderTryLater: OSStatus = -67643

/// OCSP responder signature required.
public let errSecOCSPResponderSignatureRequired: OSStatus = -67644

/// OCSP responder unauthorized.
public let errSecOCSPResponderUnauthorized: OSStatus = -67645

/// OCSP response nonce mismatch.
public let errSecOCSPResponseNonceMismatch: OSStatus = -67646

/// Code signing bad cert chain length.
public let errSecCodeSigningBadCertChainLength: OSStatus = -67647

/// Code signing no basic constraints.
public let errSecCodeSigningNoBasicConstraints: OSStatus = -67648

/// Code signing bad path length constraint.
public let errSecCodeSigningBadPathLengthConstraint: OSStatus = -67649

/// Code signing no extended key usage.
public let errSecCodeSigningNoExtendedKeyUsage: OSStatus = -67650

/// Code signing development.
public let errSecCodeSigningDevelopment: OSStatus = -67651

/// Resource sign bad cert chain length.
public let errSecResourceSignBadCertChainLength: OSStatus = -67652

/// Resource sign bad ext key usage.
public let errSecResourceSignBadExtKeyUsage: OSStatus = -67653

/// Trust setting deny.
public let errSecTrustSettingDeny: OSStatus = -67654

/// Invalid subject name.
public let errSecInvalidSubjectName: OSStatus = -67655

/// Unknown qualified cert statement.
public let errSecUnknownQualifiedCertStatement: OSStatus = -67656

/// Mobile me request queued.
public let errSecMobileMeRequestQueued: OSStatus = -67657

/// Mobile me request redirected.
public let errSecMobileMeRequestRedirected: OSStatus = -67658

/// Mobile me server error.
public let errSecMobileMeServerError: OSStatus = -67659

/// Mobile me server not available.
public let errSecMobileMeServerNotAvailable: OSStatus = -67660

/// Mobile me server already exists.
public let errSecMobileMeServerAlreadyExists: OSStatus = -67661

/// Mobile me server service err.
public let errSecMobileMeServerServiceErr: OSStatus = -67662

/// Mobile me request already pending.
public let errSecMobileMeRequestAlreadyPending: OSStatus = -67663

/// Mobile me no request pending.
public let errSecMobileMeNoRequestPending: OSStatus = -67664

/// Mobile me CSR verify failure.
public let errSecMobileMeCSRVerifyFailure: OSStatus = -67665

/// Mobile me failed consistency check.
public let errSecMobileMeFailedConsistencyCheck: OSStatus = -67666

/// Not initialized.
public let errSecNotInitialized: OSStatus = -67667

/// Invalid handle usage.
public let errSecInvalidHandleUsage: OSStatus = -67668

/// PVC referent not found.
public let errSecPVCReferentNotFound: OSStatus = -67669

/// Function integrity fail.
public let errSecFunctionIntegrityFail: OSStatus = -67670

/// Memory error.
public let errSecMemoryError: OSStatus = -67672

/// Invalid data.
public let errSecInvalidData: OSStatus = -67673

/// MDS error.
public let errSecMDSError: OSStatus = -67674

/// Self check failed.
public let errSecSelfCheckFailed: OSStatus = -67676

/// Function failed.
public let errSecFunctionFailed: OSStatus = -67677

/// Module manifest verify failed.
public let errSecModuleManifestVerifyFailed: OSStatus = -67678

/// Invalid GUID.
public let errSecInvalidGUID: OSStatus = -67679

/// Invalid handle.
public let errSecInvalidHandle: OSStatus = -67680

/// Invalid DB list.
public let errSecInvalidDBList: OSStatus = -67681

/// Invalid passthrough ID.
public let errSecInvalidPassthroughID: OSStatus = -67682

/// Invalid network address.
public let errSecInvalidNetworkAddress: OSStatus = -67683

/// CRL already signed.
public let errSecCRLAlreadySigned: OSStatus = -67684

/// Invalid number of fields.
public let errSecInvalidNumberOfFields: OSStatus = -67685

/// Verification failure.
public let errSecVerificationFailure: OSStatus = -67686
