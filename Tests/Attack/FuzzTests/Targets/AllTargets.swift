import FuzzTesting

extension FuzzTarget {
  /// All targets.
  static let all: [FuzzTarget] =
    [
      keyFile, recoveryCode, ident, slot, head, ancestors, commit, bucket, sealed, image, journal,
      stateRecord, challenge, authenticationInfo, tokenDocument, url, proxy, timestamp, terminal,
      attributes, keychainList, gitRequest, dockerRequest, gitSettings, pinentry, arguments,
      policyOptions, values, oneTimePassword, json, bitwardenJSON, enpass, onePUX, keepassXML,
      dockerConfig, export,
    ] + interchange + tls
}
