/// Apple's numbers for results, of which each has a message.
package enum KeychainStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case unimplemented = -4
  case diskFull = -34
  case inputOutput = -36
  case parameter = -50
  case writePermission = -61
  case allocate = -108
  case userCanceled = -128
  case badRequest = -909
  case internalComponent = -2070
  case notAvailable = -25291
  case readOnly = -25292
  case authenticationFailed = -25293
  case noSuchKeychain = -25294
  case invalidKeychain = -25295
  case duplicateKeychain = -25296
  case duplicateCallback = -25297
  case invalidCallback = -25298
  case duplicateItem = -25299
  case itemNotFound = -25300
  case bufferTooSmall = -25301
  case dataTooLarge = -25302
  case noSuchAttribute = -25303
  case invalidItemReference = -25304
  case invalidSearchReference = -25305
  case noSuchClass = -25306
  case noDefaultKeychain = -25307
  case interactionNotAllowed = -25308
  case readOnlyAttribute = -25309
  case wrongVersion = -25310
  case noAccessForItem = -25243
  case dataNotAvailable = -25316
  case invalidDomain = -25319
  case decode = -26275
  case serviceNotAvailable = -67585
  case internalError = -67671
  case invalidPointer = -67675
  case invalidQuery = -67693
  case invalidValue = -67694
  case verifyFailed = -67808
  case databaseLocked = -67869
  case missingValue = -67871
  // Of an evaluation.
  case hostNameMismatch = -67602
  case unknownCriticalExtension = -67603
  case invalidExtendedKeyUsage = -67609
  case certificateExpired = -67818
  case certificateNotValidYet = -67819
  case certificateRevoked = -67820
  case invalidAuthority = -67826
  case notTrusted = -67843

  /// A sentence for people; a literal that lives as long as the library.
  package var message: StaticString {
    switch self {
    case .success: "It was done."
    case .unimplemented: "Vaults do not do this."
    case .diskFull: "The disk is full."
    case .inputOutput: "Reading or writing the vault failed."
    case .parameter: "An argument has no meaning."
    case .writePermission: "A rule of the vault's policy does not let this be kept."
    case .allocate: "There is not enough memory."
    case .userCanceled: "It was interrupted."
    case .badRequest: "The vault's file or folder lets other users in."
    case .internalComponent: "It cannot be known whether the change was written."
    case .notAvailable: "The key file of the vault is missing."
    case .readOnly: "The vault cannot be written."
    case .authenticationFailed: "The passphrase or key is wrong."
    case .noSuchKeychain: "There is no vault at this path."
    case .invalidKeychain: "The vault is damaged, or was closed, or is no vault."
    case .duplicateKeychain: "There is a vault at this path already."
    case .duplicateCallback: "The function is called for events already."
    case .invalidCallback: "The function is not called for events."
    case .duplicateItem: "The vault has an item with this key already."
    case .itemNotFound: "The vault has no such item."
    case .bufferTooSmall: "The buffer is too small."
    case .dataTooLarge: "A value is longer than a vault keeps."
    case .noSuchAttribute: "Items of this class have no such attribute."
    case .invalidItemReference: "This is no reference to an item."
    case .invalidSearchReference: "This is no reference to a search."
    case .noSuchClass: "Vaults have no items of this class."
    case .noDefaultKeychain: "There is no default vault."
    case .interactionNotAllowed: "The vault is locked."
    case .readOnlyAttribute: "The vault itself sets this attribute."
    case .wrongVersion: "The vault was written by a newer version."
    case .noAccessForItem: "The item has no access control."
    case .dataNotAvailable: "The item has expired."
    case .invalidDomain: "There is only the user's own domain."
    case .decode: "The data cannot be understood."
    case .serviceNotAvailable: "Something that is needed cannot be reached."
    case .internalError: "The library made a mistake."
    case .invalidPointer: "A pointer is wrong."
    case .invalidQuery: "The query names an attribute twice."
    case .invalidValue: "A value has the wrong length, or is out of bounds."
    case .verifyFailed: "The vault is older than it was, or another one, than when last seen."
    case .databaseLocked: "Another program used the vault for too long."
    case .missingValue: "This attribute cannot be left out."
    case .hostNameMismatch: "The certificate is for other hosts."
    case .unknownCriticalExtension: "A certificate has an extension that is critical and unknown."
    case .invalidExtendedKeyUsage: "The certificate may not be used for this purpose."
    case .certificateExpired: "A certificate has expired."
    case .certificateNotValidYet: "A certificate is not valid yet."
    case .certificateRevoked: "A certificate was revoked."
    case .invalidAuthority: "A certificate was issued by one that is no authority."
    case .notTrusted: "The chain is not trusted."
    }
  }
}
