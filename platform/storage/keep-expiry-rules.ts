import {
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'

/** The prefix of the names of Rubicon's rules in a bucket. Other rules are the operator's. */
const rulePrefix = 'rubicon-'

/**
 * Ensures that the bucket has a rule for each prefix that expires its objects after `days`. Keeps other rules. Resolves to
 * false if the service supports no rules or the key is not allowed to set them. Throws any other error.
 */
export async function keepExpiryRules(
  client: S3Client,
  { bucket, days, prefixes }: { bucket: string; days: number; prefixes: readonly string[] },
): Promise<boolean> {
  try {
    const present = await readRules(client, bucket)
    const wanted = prefixes.map(prefix => expiryRule(prefix, days))
    if (wanted.every(rule => present.some(other => isSame(rule, other)))) return true
    const others = present.filter(rule => !rule.ID?.startsWith(rulePrefix))
    await client.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: bucket,
        LifecycleConfiguration: { Rules: [...others, ...wanted] },
      }),
    )
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

async function readRules(client: S3Client, bucket: string): Promise<LifecycleRule[]> {
  try {
    const { Rules = [] } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))
    return Rules
  } catch (error) {
    if (error instanceof S3ServiceException && error.name === 'NoSuchLifecycleConfiguration') return []
    throw error
  }
}

function expiryRule(prefix: string, days: number): LifecycleRule {
  const name = prefix.replaceAll(/[^a-z0-9]+/gi, '-').replace(/-$/, '')
  return {
    ID: `${rulePrefix}${name}`,
    Status: 'Enabled',
    Filter: { Prefix: prefix },
    Expiration: { Days: days },
  }
}

function isSame(rule: LifecycleRule, other: LifecycleRule): boolean {
  return (
    rule.ID === other.ID &&
    rule.Status === other.Status &&
    rule.Filter?.Prefix === other.Filter?.Prefix &&
    rule.Expiration?.Days === other.Expiration?.Days
  )
}

/** The rules are not allowed (403), or not supported (such as 501). */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false
  const status = error.$metadata.httpStatusCode ?? 0
  return [400, 403, 404, 405, 501].includes(status) && error.name !== 'NoSuchBucket'
}
