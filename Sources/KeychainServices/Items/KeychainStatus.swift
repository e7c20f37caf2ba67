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
  case incompleteRevocationCheck = -67635
  case certificateExpired = -67818
  case certificateNotValidYet = -67819
  case certificateRevoked = -67820
  case invalidAuthority = -67826
  case notTrusted = -67843

  /// A sentence for people; a literal that lives as long as the library.
  ///
  /// Apple's wording where programs are known to compare it (SecBase.h): Docker's helper recognizes
  /// "not found" by the text alone.
  package var message: StaticString {
    switch self {
    case .success: "No error."
    case .unimplemented: "Function or operation not implemented."
    case .diskFull: "The disk is full."
    case .inputOutput: "Reading or writing the vault failed."
    case .parameter: "One or more parameters passed to a function were not valid."
    case .writePermission: "A rule of the vault's policy does not let this be kept."
    case .allocate: "There is not enough memory."
    case .userCanceled: "User canceled the operation."
    case .badRequest: "The vault's file or folder lets other users in."
    case .internalComponent: "It cannot be known whether the change was written."
    case .notAvailable: "No keychain is available. You may need to restart your computer."
    case .readOnly: "This keychain cannot be modified."
    case .authenticationFailed: "The user name or passphrase you entered is not correct."
    case .noSuchKeychain: "The specified keychain could not be found."
    case .invalidKeychain: "The vault is damaged, or was closed, or is no vault."
    case .duplicateKeychain: "There is a vault at this path already."
    case .duplicateCallback: "The function is called for events already."
    case .invalidCallback: "The function is not called for events."
    case .duplicateItem: "The specified item already exists in the keychain."
    case .itemNotFound: "The specified item could not be found in the keychain."
    case .bufferTooSmall: "The buffer is too small."
    case .dataTooLarge: "A value is longer than a vault keeps."
    case .noSuchAttribute: "The specified attribute does not exist."
    case .invalidItemReference:
      "The specified item is no longer valid. It may have been deleted from the keychain."
    case .invalidSearchReference: "This is no reference to a search."
    case .noSuchClass: "Vaults have no items of this class."
    case .noDefaultKeychain: "There is no default vault."
    case .interactionNotAllowed: "User interaction is not allowed."
    case .readOnlyAttribute: "The vault itself sets this attribute."
    case .wrongVersion: "The vault was written by a newer version."
    case .noAccessForItem: "The item has no access control."
    case .dataNotAvailable: "The item has expired."
    case .invalidDomain: "There is only the user's own domain."
    case .decode: "Unable to decode the provided data."
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
    case .incompleteRevocationCheck: "Whether a certificate was revoked is not known."
    case .certificateExpired: "A certificate has expired."
    case .certificateNotValidYet: "A certificate is not valid yet."
    case .certificateRevoked: "A certificate was revoked."
    case .invalidAuthority: "A certificate was issued by one that is no authority."
    case .notTrusted: "The chain is not trusted."
    }
  }
}
