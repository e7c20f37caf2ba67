/* Apple's names for certificates. */
#ifndef VAULT_COMPAT_SECCERTIFICATE_H
#define VAULT_COMPAT_SECCERTIFICATE_H

#include "SecBase.h"

#include "../../vault_seckey.h"
#include "../../vault_sectrust.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

typedef VaultCertificateRef SecCertificateRef;

#define SecCertificateGetTypeID VaultCertificateGetTypeID
#define SecCertificateCreateWithData VaultCertificateCreateWithData
#define SecCertificateCopyData VaultCertificateCopyData
#define SecCertificateCopySubjectSummary VaultCertificateCopySubjectSummary
#define SecCertificateCopyKey VaultCertificateCopyKey

#endif

#endif
