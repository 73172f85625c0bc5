/** Start the page of the address: the teacher's, the projector's, or else that to join a class. */
const name = location.pathname.split("/").at(-1);
const page = ["teacher", "projector"].includes(name) ? name : "class";
document.body.className = `${page}-page`;
import(`./${page}.js`);
