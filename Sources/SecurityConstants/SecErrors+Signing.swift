// The last of the statuses of `SecErrors.swift`.

/// Invalid attribute DLDB handle.
public let errSecInvalidAttributeDLDBHandle: OSStatus = -67794

/// Missing attribute DLDB handle.
public let errSecMissingAttributeDLDBHandle: OSStatus = -67795

/// Invalid attribute access credentials.
public let errSecInvalidAttributeAccessCredentials: OSStatus = -67796

/// Missing attribute access credentials.
public let errSecMissingAttributeAccessCredentials: OSStatus = -67797

/// Invalid attribute public key format.
public let errSecInvalidAttributePublicKeyFormat: OSStatus = -67798

/// Missing attribute public key format.
public let errSecMissingAttributePublicKeyFormat: OSStatus = -67799

/// Invalid attribute private key format.
public let errSecInvalidAttributePrivateKeyFormat: OSStatus = -67800

/// Missing attribute private key format.
public let errSecMissingAttributePrivateKeyFormat: OSStatus = -67801

/// Invalid attribute symmetric key format.
public let errSecInvalidAttributeSymmetricKeyFormat: OSStatus = -67802

/// Missing attribute symmetric key format.
public let errSecMissingAttributeSymmetricKeyFormat: OSStatus = -67803

/// Invalid attribute wrapped key format.
public let errSecInvalidAttributeWrappedKeyFormat: OSStatus = -67804

/// Missing attribute wrapped key format.
public let errSecMissingAttributeWrappedKeyFormat: OSStatus = -67805

/// Staged operation in progress.
public let errSecStagedOperationInProgress: OSStatus = -67806

/// Staged operation not started.
public let errSecStagedOperationNotStarted: OSStatus = -67807

/// Query size unknown.
public let errSecQuerySizeUnknown: OSStatus = -67809

/// Block size mismatch.
public let errSecBlockSizeMismatch: OSStatus = -67810

/// Public key inconsistent.
public let errSecPublicKeyInconsistent: OSStatus = -67811

/// Device verify failed.
public let errSecDeviceVerifyFailed: OSStatus = -67812

/// Invalid login name.
public let errSecInvalidLoginName: OSStatus = -67813

/// Already logged in.
public let errSecAlreadyLoggedIn: OSStatus = -67814

/// Invalid digest algorithm.
public let errSecInvalidDigestAlgorithm: OSStatus = -67815

/// Invalid CRL group.
public let errSecInvalidCRLGroup: OSStatus = -67816

/// Certificate cannot operate.
public let errSecCertificateCannotOperate: OSStatus = -67817

/// Certificate suspended.
public let errSecCertificateSuspended: OSStatus = -67821

/// Insufficient credentials.
public let errSecInsufficientCredentials: OSStatus = -67822

/// Invalid action.
public let errSecInvalidAction: OSStatus = -67823

/// Invalid authority.
public let errSecInvalidAuthority: OSStatus = -67824

/// Verify action failed.
public let errSecVerifyActionFailed: OSStatus = -67825

/// Invalid CRL authority.
public let errSecInvalidCRLAuthority: OSStatus = -67827

/// Invalid CRL encoding.
public let errSecInvalidCRLEncoding: OSStatus = -67828

/// Invalid CRL type.
public let errSecInvalidCRLType: OSStatus = -67829

/// Invalid CRL.
public let errSecInvalidCRL: OSStatus = -67830

/// Invalid form type.
public let errSecInvalidFormType: OSStatus = -67831

/// Invalid ID.
public let errSecInvalidID: OSStatus = -67832

/// Invalid identifier.
public let errSecInvalidIdentifier: OSStatus = -67833

/// Invalid index.
public let errSecInvalidIndex: OSStatus = -67834

/// Invalid policy identifiers.
public let errSecInvalidPolicyIdentifiers: OSStatus = -67835

/// Invalid time string.
public let errSecInvalidTimeString: OSStatus = -67836

/// Invalid reason.
public let errSecInvalidReason: OSStatus = -67837

/// Invalid request inputs.
public let errSecInvalidRequestInputs: OSStatus = -67838

/// Invalid response vector.
public let errSecInvalidResponseVector: OSStatus = -67839

/// Invalid stop on policy.
public let errSecInvalidStopOnPolicy: OSStatus = -67840

/// Invalid tuple.
public let errSecInvalidTuple: OSStatus = -67841

/// Multiple values unsupported.
public let errSecMultipleValuesUnsupported: OSStatus = -67842

/// No default authority.
public let errSecNoDefaultAuthority: OSStatus = -67844

/// Rejected form.
public let errSecRejectedForm: OSStatus = -67845

/// Request lost.
public let errSecRequestLost: OSStatus = -67846

/// Request rejected.
public let errSecRequestRejected: OSStatus = -67847

/// Unsupported address type.
public let errSecUnsupportedAddressType: OSStatus = -67848

/// Unsupported service.
public let errSecUnsupportedService: OSStatus = -67849

/// Invalid tuple group.
public let errSecInvalidTupleGroup: OSStatus = -67850

/// Invalid base AC ls.
public let errSecInvalidBaseACLs: OSStatus = -67851

/// Invalid tuple credentials.
public let errSecInvalidTupleCredentials: OSStatus = -67852

/// Invalid encoding.
public let errSecInvalidEncoding: OSStatus = -67853

/// Invalid validity period.
public let errSecInvalidValidityPeriod: OSStatus = -67854

/// Invalid requestor.
public let errSecInvalidRequestor: OSStatus = -67855

/// Request descriptor.
public let errSecRequestDescriptor: OSStatus = -67856

/// Invalid bundle info.
public let errSecInvalidBundleInfo: OSStatus = -67857

/// Invalid CRL index.
public let errSecInvalidCRLIndex: OSStatus = -67858

/// No field values.
public let errSecNoFieldValues: OSStatus = -67859

/// Unsupported field format.
public let errSecUnsupportedFieldFormat: OSStatus = -67860

/// Unsupported index info.
public let errSecUnsupportedIndexInfo: OSStatus = -67861

/// Unsupported locality.
public let errSecUnsupportedLocality: OSStatus = -67862

/// Unsupported num attributes.
public let errSecUnsupportedNumAttributes: OSStatus = -67863

/// Unsupported num indexes.
public let errSecUnsupportedNumIndexes: OSStatus = -67864

/// Unsupported num record types.
public let errSecUnsupportedNumRecordTypes: OSStatus = -67865

/// Field specified multiple.
public let errSecFieldSpecifiedMultiple: OSStatus = -67866

/// Incompatible field format.
public let errSecIncompatibleFieldFormat: OSStatus = -67867

/// Invalid parsing module.
public let errSecInvalidParsingModule: OSStatus = -67868

/// Datastore is open.
public let errSecDatastoreIsOpen: OSStatus = -67870

/// Unsupported query limits.
public let errSecUnsupportedQueryLimits: OSStatus = -67872

/// Unsupported num selection preds.
public let errSecUnsupportedNumSelectionPreds: OSStatus = -67873

/// Unsupported operator.
public let errSecUnsupportedOperator: OSStatus = -67874

/// Invalid DB location.
public let errSecInvalidDBLocation: OSStatus = -67875

/// Invalid access request.
public let errSecInvalidAccessRequest: OSStatus = -67876

/// Invalid index info.
public let errSecInvalidIndexInfo: OSStatus = -67877

/// Invalid new owner.
public let errSecInvalidNewOwner: OSStatus = -67878

/// Invalid modify mode.
public let errSecInvalidModifyMode: OSStatus = -67879

/// Missing required extension.
public let errSecMissingRequiredExtension: OSStatus = -67880

/// Extended key usage not critical.
public let errSecExtendedKeyUsageNotCritical: OSStatus = -67881

/// Timestamp missing.
public let errSecTimestampMissing: OSStatus = -67882

/// Timestamp invalid.
public let errSecTimestampInvalid: OSStatus = -67883

/// Timestamp not trusted.
public let errSecTimestampNotTrusted: OSStatus = -67884

/// Timestamp service not available.
public let errSecTimestampServiceNotAvailable: OSStatus = -67885

/// Timestamp bad alg.
public let errSecTimestampBadAlg: OSStatus = -67886

/// Timestamp bad request.
public let errSecTimestampBadRequest: OSStatus = -67887

/// Timestamp bad data format.
public let errSecTimestampBadDataFormat: OSStatus = -67888

/// Timestamp time not available.
public let errSecTimestampTimeNotAvailable: OSStatus = -67889

/// Timestamp unaccepted policy.
public let errSecTimestampUnacceptedPolicy: OSStatus = -67890

/// Timestamp unaccepted extension.
public let errSecTimestampUnacceptedExtension: OSStatus = -67891

/// Timestamp add info not available.
public let errSecTimestampAddInfoNotAvailable: OSStatus = -67892

/// Timestamp system failure.
public let errSecTimestampSystemFailure: OSStatus = -67893

/// Signing time missing.
public let errSecSigningTimeMissing: OSStatus = -67894

/// Timestamp rejection.
public let errSecTimestampRejection: OSStatus = -67895

/// Timestamp waiting.
public let errSecTimestampWaiting: OSStatus = -67896

/// Timestamp revocation warning.
public let errSecTimestampRevocationWarning: OSStatus = -67897

/// Timestamp revocation notification.
public let errSecTimestampRevocationNotification: OSStatus = -67898

/// Certificate policy not allowed.
public let errSecCertificatePolicyNotAllowed: OSStatus = -67899

/// Certificate name not allowed.
public let errSecCertificateNameNotAllowed: OSStatus = -67900

/// Certificate validity period too long.
public let errSecCertificateValidityPeriodTooLong: OSStatus = -67901

/// Certificate is CA.
public let errSecCertificateIsCA: OSStatus = -67902

/// Certificate duplicate extension.
public let errSecCertificateDuplicateExtension: OSStatus = -67903

/// Missing qualified cert statement.
public let errSecMissingQualifiedCertStatement: OSStatus = -67904
