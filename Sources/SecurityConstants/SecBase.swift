// The statuses of the module's functions, with Apple's numbers.

/// Success.
public let errSecSuccess: OSStatus = 0

/// Not implemented.
public let errSecUnimplemented: OSStatus = -4

/// The disk is full.
public let errSecDiskFull: OSStatus = -34

/// Reading or writing failed.
public let errSecIO: OSStatus = -36

/// The file is open for writing already.
public let errSecOpWr: OSStatus = -49

/// A dictionary, key or value is wrong.
public let errSecParam: OSStatus = -50

/// A policy does not let the item be kept.
public let errSecWrPerm: OSStatus = -61

/// There is not enough memory.
public let errSecAllocate: OSStatus = -108

/// The user cancelled.
public let errSecUserCanceled: OSStatus = -128

/// The state does not allow the request.
public let errSecBadReq: OSStatus = -909

/// The outcome cannot be known.
public let errSecInternalComponent: OSStatus = -2070

/// The vault is not available.
public let errSecNotAvailable: OSStatus = -25291

/// The vault cannot be written.
public let errSecReadOnly: OSStatus = -25292

/// The passphrase or key is wrong.
public let errSecAuthFailed: OSStatus = -25293

/// There is no such vault.
public let errSecNoSuchKeychain: OSStatus = -25294

/// The vault is damaged or was closed.
public let errSecInvalidKeychain: OSStatus = -25295

/// There is such a vault already.
public let errSecDuplicateKeychain: OSStatus = -25296

/// The callback is installed already.
public let errSecDuplicateCallback: OSStatus = -25297

/// There is no such callback.
public let errSecInvalidCallback: OSStatus = -25298

/// There is an item with this key already.
public let errSecDuplicateItem: OSStatus = -25299

/// No item matches.
public let errSecItemNotFound: OSStatus = -25300

/// The buffer is too small.
public let errSecBufferTooSmall: OSStatus = -25301

/// A value is longer than a vault keeps.
public let errSecDataTooLarge: OSStatus = -25302

/// The class has no such attribute.
public let errSecNoSuchAttr: OSStatus = -25303

/// The reference is not valid.
public let errSecInvalidItemRef: OSStatus = -25304

/// The search is not valid.
public let errSecInvalidSearchRef: OSStatus = -25305

/// There are no items of this class.
public let errSecNoSuchClass: OSStatus = -25306

/// There is no default vault.
public let errSecNoDefaultKeychain: OSStatus = -25307

/// The vault is locked.
public let errSecInteractionNotAllowed: OSStatus = -25308

/// The vault sets the attribute.
public let errSecReadOnlyAttr: OSStatus = -25309

/// A newer version wrote the vault.
public let errSecWrongSecVersion: OSStatus = -25310

/// The key's size is not allowed.
public let errSecKeySizeNotAllowed: OSStatus = -25311

/// There is no storage.
public let errSecNoStorageModule: OSStatus = -25312

/// There are no certificates.
public let errSecNoCertificateModule: OSStatus = -25313

/// There are no policies.
public let errSecNoPolicyModule: OSStatus = -25314

/// A person is needed.
public let errSecInteractionRequired: OSStatus = -25315

/// The item has expired.
public let errSecDataNotAvailable: OSStatus = -25316

/// The data cannot be changed.
public let errSecDataNotModifiable: OSStatus = -25317

/// The chain cannot be made.
public let errSecCreateChainFailed: OSStatus = -25318

/// The domain is not valid.
public let errSecInvalidPrefsDomain: OSStatus = -25319

/// Nobody can be asked now.
public let errSecInDarkWake: OSStatus = -25320

/// The access control is not simple.
public let errSecACLNotSimple: OSStatus = -25240

/// There is no such policy.
public let errSecPolicyNotFound: OSStatus = -25241

/// The trust setting is not valid.
public let errSecInvalidTrustSetting: OSStatus = -25242

/// The item has no access control.
public let errSecNoAccessForItem: OSStatus = -25243

/// The owner cannot be changed.
public let errSecInvalidOwnerEdit: OSStatus = -25244

/// There is no trust.
public let errSecTrustNotAvailable: OSStatus = -25245

/// The format is not supported.
public let errSecUnsupportedFormat: OSStatus = -25256

/// The format is unknown.
public let errSecUnknownFormat: OSStatus = -25257

/// The data cannot be understood.
public let errSecDecode: OSStatus = -26275

/// The program lacks a right.
public let errSecMissingEntitlement: OSStatus = -34018

/// The program may not use the function.
public let errSecRestrictedAPI: OSStatus = -34020

/// A service cannot be reached.
public let errSecServiceNotAvailable: OSStatus = -67585

/// The library made a mistake.
public let errSecInternalError: OSStatus = -67671

/// A pointer is wrong.
public let errSecInvalidPointer: OSStatus = -67675

/// The query is wrong.
public let errSecInvalidQuery: OSStatus = -67693

/// A value is wrong.
public let errSecInvalidValue: OSStatus = -67694

/// The record is wrong.
public let errSecInvalidRecord: OSStatus = -67701

/// The vault is another one than expected.
public let errSecVerifyFailed: OSStatus = -67808

/// Another program used the vault for too long.
public let errSecDatabaseLocked: OSStatus = -67869

/// A value is missing.
public let errSecMissingValue: OSStatus = -67871
