import Testing

@testable import SecureMemory
