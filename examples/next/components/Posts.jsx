import { Picture } from './Picture'

export function Posts({ posts }) {
  return (
    <ol className="posts">
      {posts.map(post => (
        <li key={post.id}>
          <a href={post.slug}>{post.title}</a>
          <p>{post.fields.teaser}</p>
          <Picture media={post.fields.picture} sizes="(min-width: 40rem) 20rem, 100vw" />
        </li>
      ))}
    </ol>
  )
}
