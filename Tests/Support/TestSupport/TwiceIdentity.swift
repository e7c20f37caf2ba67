import Foundation

/// A PKCS #12 file with one certificate and key twice, for the passphrase `secret`.
///
/// Made with libcrypto's PKCS12_add_cert and PKCS12_add_key, each called twice with another local
/// identifier.
package enum TwiceIdentity {
  /// The file.
  package static var file: [UInt8] {
    get throws {
      guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
        throw CocoaError(.fileReadCorruptFile)
      }
      return Array(data)
    }
  }

  private static let text = """
    MIIGIgIBAzCCBdgGCSqGSIb3DQEHAaCCBckEggXFMIIFwTCCBb0GCSqGSIb3DQEHAaCCBa4EggWqMIIFpjCCAbgG
    CyqGSIb3DQEMCgEDoIIBkzCCAY8GCiqGSIb3DQEJFgGgggF/BIIBezCCAXcwggEdoAMCAQICFFAf15JXXwjjtkC6
    eh/GOTIBWgkuMAoGCCqGSM49BAMCMBAxDjAMBgNVBAMMBXR3aWNlMCAXDTI2MTEzMDAxMzkyOFoYDzIxMjYxMTA2
    MDEzOTI4WjAQMQ4wDAYDVQQDDAV0d2ljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNLapOrVqKqun7rYF4G2
    /lxV5zRzgnx8MyngbqllLoCDVinVFzwW8qBC+dL7/R5CCLWyi+O6sbS+dD+0WPqgn0ajUzBRMB0GA1UdDgQWBBRm
    T8n1k1vpjWKicdilt3IpMMjsojAfBgNVHSMEGDAWgBRmT8n1k1vpjWKicdilt3IpMMjsojAPBgNVHRMBAf8EBTAD
    AQH/MAoGCCqGSM49BAMCA0gAMEUCICrTtkZPK/1t96wpcEqasO124OQ+tpBjvaUI5Agoqp/tAiEAo9N29VeoCYpF
    3UBe1RmA9OkPfKEXmdCVp9vQ7MTXSIkxEjAQBgkqhkiG9w0BCRUxAwQBATCCARMGCyqGSIb3DQEMCgECoIHvMIHs
    MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi74s846kpoJgICA+gwDAYIKoZIhvcNAgkFADAdBglghkgB
    ZQMEASoEEDjwBDCAQ/Qxbk3PitA7HRkEgZDjudN7fJjjlc0CMn8Sx81XhrOdx+5/9eR7hYcNA0Tn3RSzthWrX7Ck
    zdWVE2rJC9BuVbuUSCr8Vik8MIyQwTXF5KbFM7U6ncxtPV+S/e0f4EF0Dqw2prjJMEdqIuD2jsE5xyVFsNuehb1v
    TxW2UMX0SZcuo2nxUhxebFRvMgyAwMZ2zwizS6OCSmp4nob4yiUxEjAQBgkqhkiG9w0BCRUxAwQBATCCAbgGCyqG
    SIb3DQEMCgEDoIIBkzCCAY8GCiqGSIb3DQEJFgGgggF/BIIBezCCAXcwggEdoAMCAQICFFAf15JXXwjjtkC6eh/G
    OTIBWgkuMAoGCCqGSM49BAMCMBAxDjAMBgNVBAMMBXR3aWNlMCAXDTI2MTEzMDAxMzkyOFoYDzIxMjYxMTA2MDEz
    OTI4WjAQMQ4wDAYDVQQDDAV0d2ljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNLapOrVqKqun7rYF4G2/lxV
    5zRzgnx8MyngbqllLoCDVinVFzwW8qBC+dL7/R5CCLWyi+O6sbS+dD+0WPqgn0ajUzBRMB0GA1UdDgQWBBRmT8n1
    k1vpjWKicdilt3IpMMjsojAfBgNVHSMEGDAWgBRmT8n1k1vpjWKicdilt3IpMMjsojAPBgNVHRMBAf8EBTADAQH/
    MAoGCCqGSM49BAMCA0gAMEUCICrTtkZPK/1t96wpcEqasO124OQ+tpBjvaUI5Agoqp/tAiEAo9N29VeoCYpF3UBe
    1RmA9OkPfKEXmdCVp9vQ7MTXSIkxEjAQBgkqhkiG9w0BCRUxAwQBAjCCARMGCyqGSIb3DQEMCgECoIHvMIHsMFcG
    CSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhuOacdinDLBwICA+gwDAYIKoZIhvcNAgkFADAdBglghkgBZQME
    ASoEEGGir/XXv8rpdfBt+2e+gp0EgZD4O/4KFa0Sla1QV5cSolH+30tKr0Gmwl7kmNNWj9k65dSesakPP+kO61nh
    7XVjRwNxKyIfkn2JM0pcfjtuLb1HmdzZtT1CrxKkle3HjpVDbWZz8xEzd2odXM6hyHHl8SLdqI/SdIttX2LECRm6
    mcWQA9jOGnbOGXaxUcIilAY7PexE+xVdT/h2D+Y6bFfvUqExEjAQBgkqhkiG9w0BCRUxAwQBAjBBMDEwDQYJYIZI
    AWUDBAIBBQAEIHOEnA8R0rKfzEEzHNgZiMPo4YbC5iwkI+B9YVD5E9bEBAiCysDrKJjtbQICA+g=
    """
}
