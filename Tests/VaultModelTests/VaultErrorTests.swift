import Testing

@testable import VaultModel
